//! libFuzzer target: a seed of a random function of the vector IR, compared before and after each pass.
#![no_main]

use anywarp_tests::fuzz::assert_no_finding;
use anywarp_tests::fuzz::memory::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

libfuzzer_sys::fuzz_target!(|input: &[u8]| assert_no_finding("passes", input));

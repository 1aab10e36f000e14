//! libFuzzer target: any text as a function of the vector IR.
#![no_main]

use anywarp_tests::fuzz::assert_no_finding;
use anywarp_tests::fuzz::memory::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

libfuzzer_sys::fuzz_target!(|input: &[u8]| assert_no_finding("lanes_text", input));

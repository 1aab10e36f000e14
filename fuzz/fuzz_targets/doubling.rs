//! libFuzzer target: bytes as choices of a grammar of programs that double in size.
#![no_main]

use anywarp_tests::fuzz::assert_no_finding;
use anywarp_tests::fuzz::memory::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

libfuzzer_sys::fuzz_target!(|input: &[u8]| assert_no_finding("doubling", input));

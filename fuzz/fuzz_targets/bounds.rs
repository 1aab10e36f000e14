//! libFuzzer target: a seed of random kernels that run over buffers between guard pages.
#![no_main]

use anywarp_tests::fuzz::assert_no_finding;
use anywarp_tests::fuzz::memory::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

libfuzzer_sys::fuzz_target!(|input: &[u8]| assert_no_finding("bounds", input));

//! No access leaves its binding: random kernels with random indices over buffers that lie directly before, or directly
//! behind, pages that cannot be touched.
//!
//! An access that does is the end of the process, and so a failure of the test. Besides, results must be those of the
//! interpreter: what is read outside is zero, and what is written there vanishes. The same holds for textures, which have
//! tests for every format instead.
#![cfg(unix)]

mod check;
mod generator;
mod guarded;
mod random;
#[cfg(target_os = "linux")]
mod sparse;
mod texels;

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use anywarp_cpu::Target;

use check::try_seed;
use guarded::Honesty;

const SEEDS: u64 = 300;

/// Set in the process that is to end by a buffer that is shorter than it says.
const DISHONEST: &str = "ANYWARP_TEST_DISHONEST_BUFFERS";

#[test]
fn no_access_leaves_its_binding() {
    let honesty = match std::env::var_os(DISHONEST) {
        None => Honesty::Honest,
        Some(_) => Honesty::OneWordTooLong,
    };
    for seed in 0..SEEDS {
        try_seed(seed, honesty);
    }
}

/// With buffers that are a word shorter than they say the same test ends by a touch of what cannot be touched: so it
/// would if a check were one word too generous.
#[test]
fn a_step_too_far_is_noticed() {
    if Target::all().next().is_none() {
        return;
    }
    let test = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "no_access_leaves_its_binding"])
        .env(DISHONEST, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&test.stderr);
    assert_eq!(test.status.signal(), Some(libc::SIGSEGV), "{text}");
}

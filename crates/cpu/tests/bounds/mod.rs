//! No access leaves its binding: random kernels with random indices over buffers that lie directly before or after
//! guard pages.
//!
//! An access that leaves ends the process, and so fails the test. Besides, results must be those of the interpreter:
//! out-of-bounds reads return zero, and out-of-bounds writes are discarded. The same holds for textures, which have
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

/// Set in the process that is to end by a buffer that is shorter than its length.
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

/// With buffers that are one word shorter than their length, the same test ends by an access to a guard page: so it
/// would if a check were off by one word.
#[test]
fn a_step_too_far_is_noticed() {
    if Target::all().next().is_none() {
        return;
    }
    let test = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "bounds::no_access_leaves_its_binding"])
        .env(DISHONEST, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&test.stderr);
    assert_eq!(test.status.signal(), Some(libc::SIGSEGV), "{text}");
}

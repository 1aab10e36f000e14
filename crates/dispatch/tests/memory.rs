//! Process resources of dispatches: resident memory, mappings, reuse of stacks.
//!
//! Each test measures its own process, in which nothing else runs.

#![cfg(target_os = "linux")]
#![expect(
    clippy::print_stdout,
    reason = "the figures are for whoever asks for them"
)]

use std::fs;
use std::process::Command;

use anywarp_dispatch::{DispatchOptions, dispatch_workgroups, workgroup, workgroup_barrier};

const CHILD: &str = "ANYWARP_MEMORY_CHILD";

/// Runs `measure` in a separate process; `test` is the name of the calling test.
fn in_a_process_of_its_own(test: &str, measure: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        return measure();
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = [child.stdout, child.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(child.status.success(), "{}{}", text[0], text[1]);
    assert!(text[0].contains("1 passed"), "{}", text[0]);
}

/// A field of the kernel's status file of this process, in KiB.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn mappings() -> usize {
    let text = fs::read_to_string("/proc/self/maps").unwrap();
    text.lines().count()
}

workgroup! {
    static TILE: [u32; 1024];
}

/// A workgroup of 1024 invocations that all wait at once, twice.
fn reverse(options: &DispatchOptions, workgroups: u32) {
    let run = options.workgroups((workgroups, 1, 1), (1024, 1, 1), |builtins| {
        let i = builtins.local_invocation_index as usize;
        TILE.store(i, i as u32);
        workgroup_barrier();
        let mirrored = TILE.load(1023 - i);
        workgroup_barrier();
        assert_eq!(mirrored, 1023 - i as u32);
    });
    run.unwrap();
}

#[test]
fn a_workgroup_of_1024_invocations_takes_less_than_64_mib() {
    in_a_process_of_its_own(
        "a_workgroup_of_1024_invocations_takes_less_than_64_mib",
        || {
            reverse(&DispatchOptions::default(), 1);
            let peak = status("VmHWM:");
            println!("resident at most: {peak} KiB");
            assert!(peak < 64 << 10, "{peak} KiB");
        },
    );
}

#[test]
fn fibers_are_used_again() {
    in_a_process_of_its_own("fibers_are_used_again", || {
        let options = DispatchOptions::default().threads(1);
        // Also after failures, whose fibers are unwound.
        let fail = || {
            let failed = options.workgroups((2, 1, 1), (1024, 1, 1), |builtins| {
                if builtins.local_invocation_index != 700 {
                    workgroup_barrier();
                }
            });
            failed.unwrap_err();
        };
        reverse(&options, 2);
        fail();
        let (size, maps) = (status("VmSize:"), mappings());
        for _ in 0..50 {
            reverse(&options, 2);
            fail();
        }
        // One more set of stacks would be 256 MiB; allocators may take some for themselves.
        let grown = status("VmSize:").saturating_sub(size);
        assert!(grown < 64 << 10, "{grown} KiB more are mapped");
        let more = mappings().saturating_sub(maps);
        assert!(more < 64, "{more} mappings more");
    });
}

#[test]
fn a_kernel_without_barriers_needs_one_stack_a_thread() {
    in_a_process_of_its_own("a_kernel_without_barriers_needs_one_stack_a_thread", || {
        let size = status("VmSize:");
        let options = DispatchOptions::default().threads(1);
        let run = options.workgroups((100, 1, 1), (1024, 1, 1), |_| ());
        run.unwrap();
        let grown = status("VmSize:") - size;
        assert!(grown < 4 << 10, "{grown} KiB more are mapped");
    });
}

#[test]
fn many_stacks_are_few_mappings_where_the_kernel_can_do_that() {
    in_a_process_of_its_own(
        "many_stacks_are_few_mappings_where_the_kernel_can_do_that",
        || {
            let before = mappings();
            dispatch_workgroups((1, 1, 1), (1024, 1, 1), |_| workgroup_barrier());
            let more = mappings() - before;
            println!("1024 stacks: {more} mappings");
            let is_new = kernel() >= (6, 13);
            assert!(more < if is_new { 64 } else { 2 * 1024 + 64 }, "{more}");
        },
    );
}

/// The kernel's version, major and minor.
fn kernel() -> (u32, u32) {
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .map(|n| n.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

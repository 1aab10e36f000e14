//! Adds up a million numbers. Each workgroup adds up its own in a tree; the sums are numbers to add
//! up again, until one is left.
//!
//! `cargo run --release -p gpu-sdk --example reduction`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use gpu_sdk::{ComputeBuiltins, HostBuffer, dispatch_workgroups, workgroup, workgroup_barrier};

const WORKGROUP: usize = 256;

workgroup! {
    static PARTIAL: [u32; WORKGROUP];
}

/// The kernel: one number for each invocation, one sum for each workgroup.
fn add_up(builtins: ComputeBuiltins, numbers: &HostBuffer<u32>, sums: &HostBuffer<u32>) {
    let i = builtins.local_invocation_index as usize;
    // The last workgroup reaches past the end of the numbers, where everything is zero.
    PARTIAL.store(i, numbers.load(builtins.global_invocation_id.x));
    let mut half = WORKGROUP / 2;
    while half > 0 {
        // Every invocation comes here, also one that has nothing left to add.
        workgroup_barrier();
        if i < half {
            PARTIAL.store(i, PARTIAL.load(i) + PARTIAL.load(i + half));
        }
        half /= 2;
    }
    if i == 0 {
        sums.store(builtins.workgroup_id.x, PARTIAL.load(0));
    }
}

fn main() {
    let numbers: Vec<u32> = (0..1_000_000).map(|i| i * 7 % 1000).collect();
    let mut level = HostBuffer::from_slice(&numbers);
    let mut passes = 0;
    while level.len() > 1 {
        let sums = HostBuffer::new(level.len().div_ceil(WORKGROUP));
        dispatch_workgroups(
            (sums.len() as u32, 1, 1),
            (WORKGROUP as u32, 1, 1),
            |builtins| add_up(builtins, &level, &sums),
        );
        level = sums;
        passes += 1;
    }
    let (sum, expected) = (level.load(0), numbers.iter().sum::<u32>());
    println!("sum of {} numbers in {passes} passes: {sum}", numbers.len());
    assert_eq!(sum, expected);
    println!("a plain loop agrees");
}

#[test]
fn the_sum_is_right() {
    main();
}

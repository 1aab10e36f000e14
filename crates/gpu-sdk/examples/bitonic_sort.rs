//! Sorts numbers with a bitonic network (K. E. Batcher, "Sorting networks and their applications",
//! 1968): rounds of compare-and-swap between places whose numbers differ in one bit.
//!
//! Partners that lie far apart meet in storage, one dispatch for each step. As soon as both are in
//! one workgroup's tile, all remaining steps of the round run in workgroup memory, with barriers
//! between them.
//!
//! `cargo run --release -p gpu-sdk --example bitonic_sort`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use gpu_sdk::{ComputeBuiltins, HostBuffer, dispatch_workgroups, workgroup, workgroup_barrier};

const COUNT: usize = 1 << 16;
const WORKGROUP: usize = 256;

workgroup! {
    static TILE: [u32; WORKGROUP];
}

/// In a round, runs of `run` numbers become sorted, in turn upwards and downwards.
fn is_out_of_order(index: usize, run: usize, low: u32, high: u32) -> bool {
    let is_upwards = index & run == 0;
    if is_upwards { low > high } else { low < high }
}

/// One step in storage: each place meets the one `distance` away.
fn far_step(builtins: ComputeBuiltins, numbers: &HostBuffer<u32>, run: usize, distance: usize) {
    let index = builtins.global_invocation_id.x as usize;
    let partner = index ^ distance;
    if partner > index {
        let (low, high) = (numbers.load(index), numbers.load(partner));
        if is_out_of_order(index, run, low, high) {
            numbers.store(index, high);
            numbers.store(partner, low);
        }
    }
}

/// All steps of a round whose partners are in one tile.
fn near_steps(builtins: ComputeBuiltins, numbers: &HostBuffer<u32>, run: usize) {
    let index = builtins.global_invocation_id.x as usize;
    let i = builtins.local_invocation_index as usize;
    TILE.store(i, numbers.load(index));
    let mut distance = run.min(WORKGROUP) / 2;
    while distance > 0 {
        workgroup_barrier();
        let partner = i ^ distance;
        if partner > i {
            let (low, high) = (TILE.load(i), TILE.load(partner));
            if is_out_of_order(index, run, low, high) {
                TILE.store(i, high);
                TILE.store(partner, low);
            }
        }
        distance /= 2;
    }
    // The last swap may have been the partner's.
    workgroup_barrier();
    numbers.store(index, TILE.load(i));
}

fn sort(numbers: &HostBuffer<u32>) {
    let workgroups = (numbers.len() / WORKGROUP) as u32;
    let for_each = |kernel: &(dyn Fn(ComputeBuiltins) + Sync)| {
        dispatch_workgroups((workgroups, 1, 1), (WORKGROUP as u32, 1, 1), kernel);
    };
    let mut run = 2;
    while run <= numbers.len() {
        let mut distance = run / 2;
        while distance >= WORKGROUP {
            for_each(&|builtins| far_step(builtins, numbers, run, distance));
            distance /= 2;
        }
        for_each(&|builtins| near_steps(builtins, numbers, run));
        run *= 2;
    }
}

fn main() {
    // Any mixed-up numbers will do: a step of a linear congruential generator for each.
    let mixed = |i: u32| i.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) >> 8;
    let mut expected: Vec<u32> = (0..COUNT as u32).map(mixed).collect();
    let numbers = HostBuffer::from_slice(&expected);
    sort(&numbers);
    expected.sort_unstable();
    let sorted = numbers.to_vec();
    println!("{COUNT} numbers sorted: {:?} ..", &sorted[..6]);
    assert_eq!(sorted, expected);
    println!("the standard library's sort agrees");
}

#[test]
fn the_numbers_are_sorted() {
    main();
}

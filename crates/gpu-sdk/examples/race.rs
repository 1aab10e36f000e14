//! A data race that most runs hide: each invocation reads what its neighbour wrote, without waiting
//! for it. In order the neighbour always comes first. A random schedule shows the mistake, the same
//! one for the same seed, so that it can be looked at again.
//!
//! `cargo run --release -p gpu-sdk --example race`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use gpu_sdk::{
    ComputeBuiltins, DispatchError, DispatchOptions, HostBuffer, Schedule, workgroup,
    workgroup_barrier,
};

const WORKGROUP: usize = 12;

workgroup! {
    static TILE: [u32; WORKGROUP];
}

/// Moves everything one place to the right; the barrier between writing and reading is missing.
fn shift_without_barrier(builtins: ComputeBuiltins, shifted: &HostBuffer<u32>) {
    let i = builtins.local_invocation_index as usize;
    TILE.store(i, i as u32 + 1);
    if i > 0 {
        shifted.store(i, TILE.load(i - 1));
    }
}

/// The same with it.
fn shift(builtins: ComputeBuiltins, shifted: &HostBuffer<u32>) {
    let i = builtins.local_invocation_index as usize;
    TILE.store(i, i as u32 + 1);
    workgroup_barrier();
    if i > 0 {
        shifted.store(i, TILE.load(i - 1));
    }
}

fn run(
    kernel: fn(ComputeBuiltins, &HostBuffer<u32>),
    schedule: Schedule,
) -> Result<Vec<u32>, DispatchError> {
    let shifted = HostBuffer::new(WORKGROUP);
    let options = DispatchOptions::default().schedule(schedule);
    options.workgroups((1, 1, 1), (WORKGROUP as u32, 1, 1), |builtins| {
        kernel(builtins, &shifted);
    })?;
    Ok(shifted.to_vec())
}

fn main() -> Result<(), DispatchError> {
    let right: Vec<u32> = (0..WORKGROUP as u32).collect();
    println!("without the barrier");
    for schedule in [
        Schedule::InOrder,
        Schedule::Random(1),
        Schedule::Random(2),
        Schedule::Random(1),
    ] {
        let shifted = run(shift_without_barrier, schedule)?;
        let verdict = if shifted == right { "right" } else { "WRONG" };
        println!("  {:<10} {shifted:?} {verdict}", format!("{schedule:?}"));
    }
    println!("with the barrier");
    for seed in 0..1000 {
        assert_eq!(run(shift, Schedule::Random(seed))?, right);
    }
    println!("  1000 random schedules, all right");
    Ok(())
}

#[test]
fn the_race_shows_in_a_random_order_only() {
    main().unwrap();
    let right = run(shift, Schedule::InOrder).unwrap();
    let racing = |schedule| run(shift_without_barrier, schedule).unwrap();
    assert_eq!(racing(Schedule::InOrder), right);
    assert!((0..100).all(|seed| racing(Schedule::Random(seed)) != right));
}

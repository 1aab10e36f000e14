//! Compute dispatches: ids, barriers, workgroup variables.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use anywarp_dispatch::{
    ComputeBuiltins, DispatchError, DispatchOptions, Schedule, compute_builtins,
    dispatch_workgroups, global_invocation_id, local_invocation_id, local_invocation_index,
    num_workgroups, storage_barrier, texture_barrier, workgroup, workgroup_barrier, workgroup_id,
    workgroup_size, workgroup_uniform_load,
};
use glam::UVec3;

/// Combinations of options with which a dispatch may be run.
fn many_ways() -> Vec<DispatchOptions> {
    let mut ways = Vec::new();
    for threads in [1, 2, 8] {
        for schedule in std::iter::once(Schedule::InOrder).chain((0..100).map(Schedule::Random)) {
            ways.push(
                DispatchOptions::default()
                    .threads(threads)
                    .schedule(schedule),
            );
        }
    }
    ways
}

fn zeros(n: usize) -> Vec<AtomicU32> {
    (0..n).map(|_| AtomicU32::new(0)).collect()
}

fn values(cells: &[AtomicU32]) -> Vec<u32> {
    cells.iter().map(|cell| cell.load(Relaxed)).collect()
}

#[test]
fn compute_dispatch_basic() {
    let counter = AtomicU32::new(0);
    dispatch_workgroups((2, 1, 1), (4, 1, 1), |_| {
        counter.fetch_add(1, Relaxed);
    });
    assert_eq!(counter.load(Relaxed), 8);
}

/// Makes a dispatch long enough for several threads: its first invocation takes long.
#[derive(Default)]
struct SlowStart(AtomicBool);

impl SlowStart {
    fn invocation(&self) {
        if !self.0.swap(true, Relaxed) {
            std::thread::sleep(Duration::from_micros(150));
        }
    }
}

#[test]
fn compute_dispatch_barrier_synchronizes() {
    for size in [1, 3, 64, 256, 1024] {
        for options in many_ways() {
            let (written, wrong) = (zeros(size * 4), AtomicU32::new(0));
            let start = SlowStart::default();
            options
                .workgroups((4, 1, 1), (size as u32, 1, 1), |builtins| {
                    start.invocation();
                    let first = builtins.workgroup_id.x as usize * size;
                    let own = builtins.local_invocation_index as usize;
                    let workgroup = &written[first..first + size];
                    for round in 1..4 {
                        workgroup[own].store(round, Relaxed);
                        workgroup_barrier();
                        // In a large workgroup each invocation checks other members.
                        let seen = workgroup.iter().skip(own % size.div_ceil(32));
                        let late = seen
                            .step_by(size.div_ceil(32))
                            .filter(|cell| cell.load(Relaxed) != round)
                            .count();
                        wrong.fetch_add(late as u32, Relaxed);
                        workgroup_barrier();
                    }
                })
                .unwrap();
            assert_eq!(wrong.load(Relaxed), 0, "size {size}, {options:?}");
        }
    }
}

#[test]
fn workgroups_run_on_several_threads() {
    let threads = Mutex::new(HashSet::new());
    let options = DispatchOptions::default().threads(4);
    options
        .workgroups((8, 1, 1), (2, 1, 1), |_| {
            // Long enough for the other threads to take work.
            std::thread::sleep(Duration::from_millis(2));
            workgroup_barrier();
            threads.lock().unwrap().insert(std::thread::current().id());
        })
        .unwrap();
    let used = threads.into_inner().unwrap().len();
    assert!((2..=4).contains(&used), "{used} threads");
}

#[test]
fn compute_builtins_correct() {
    let shapes = [
        ((1, 1, 1), (1, 1, 1)),
        ((2, 3, 4), (4, 2, 1)),
        ((5, 1, 2), (3, 5, 7)),
        ((1, 7, 1), (1, 1, 64)),
        ((3, 3, 3), (2, 2, 2)),
        ((1, 1, 2), (7, 1, 3)),
        ((1, 1, 1), (1024, 1, 1)),
        ((2, 1, 1), (8, 8, 16)),
        ((300, 1, 1), (1, 1, 1)),
    ];
    for (count, size) in shapes {
        for options in many_ways() {
            let seen = Mutex::new(Vec::new());
            options
                .workgroups(count, size, |builtins| {
                    workgroup_barrier();
                    assert_eq!(builtins.global_invocation_id, global_invocation_id());
                    assert_eq!(builtins.local_invocation_id, local_invocation_id());
                    assert_eq!(builtins.local_invocation_index, local_invocation_index());
                    assert_eq!(builtins.workgroup_id, workgroup_id());
                    assert_eq!(builtins.num_workgroups, num_workgroups());
                    assert_eq!(compute_builtins(), Some(builtins));
                    assert_eq!(workgroup_size(), UVec3::from(size));
                    seen.lock().unwrap().push(builtins);
                })
                .unwrap();
            check_builtins(seen.into_inner().unwrap(), count.into(), size.into());
        }
    }
}

fn check_builtins(mut seen: Vec<ComputeBuiltins>, count: UVec3, size: UVec3) {
    let grid = count * size;
    assert_eq!(seen.len() as u32, grid.element_product());
    seen.sort_by_key(|b| b.global_invocation_id.to_array());
    seen.dedup_by_key(|b| b.global_invocation_id);
    assert_eq!(seen.len() as u32, grid.element_product(), "each id once");
    for builtins in seen {
        let (local, group) = (builtins.local_invocation_id, builtins.workgroup_id);
        assert_eq!(builtins.global_invocation_id, group * size + local);
        assert!(local.cmplt(size).all() && group.cmplt(count).all());
        let index = (local.z * size.y + local.y) * size.x + local.x;
        assert_eq!(builtins.local_invocation_index, index);
        assert_eq!(builtins.num_workgroups, count);
    }
}

workgroup! {
    static TILE: [u32; 256];
    static COUNT: u32;
    static BINS: [u32; 16];
    static SIGNED: [i32; 2];
}

#[test]
fn workgroup_variables_are_zero_at_the_start_and_not_shared() {
    for options in many_ways() {
        let (sums, start) = (zeros(50), SlowStart::default());
        options
            .workgroups((50, 1, 1), (32, 1, 1), |builtins| {
                start.invocation();
                let i = builtins.local_invocation_index as usize;
                let group = builtins.workgroup_id.x;
                assert_eq!(TILE.load(i + 1), 0, "zero at first");
                workgroup_barrier();
                TILE.store(i + 1, group);
                workgroup_barrier();
                let sum: u32 = (1..=32).map(|j| TILE.load(j)).sum();
                assert_eq!(sum, 32 * group, "of this workgroup alone");
                sums[group as usize].fetch_add(COUNT.get(), Relaxed);
                workgroup_barrier();
                COUNT.set(COUNT.get() + 1);
                workgroup_barrier();
                assert_eq!(COUNT.get(), 32);
            })
            .unwrap();
        assert!(values(&sums).iter().all(|&sum| sum == 0));
    }
}

#[test]
fn workgroup_atomics() {
    let kernel = |builtins: ComputeBuiltins| {
        let i = builtins.local_invocation_index;
        BINS.atomic_add(i as usize % 16, i);
        SIGNED.atomic_min(0, -(i as i32));
        SIGNED.atomic_max(1, i as i32);
        workgroup_barrier();
        if i == 0 {
            for bin in 0..16u32 {
                let expected: u32 = (0..4).map(|k| bin + 16 * k).sum();
                assert_eq!(BINS.load(bin as usize), expected);
            }
            assert_eq!((SIGNED.load(0), SIGNED.load(1)), (-63, 63));
            assert_eq!(BINS.atomic_sub(0, 1), 96);
            assert_eq!(BINS.atomic_and(0, 7), 95);
            assert_eq!(BINS.atomic_or(0, 32), 7);
            assert_eq!(BINS.atomic_xor(0, 1), 39);
            assert_eq!(BINS.atomic_exchange(0, 5), 38);
            assert_eq!(BINS.atomic_compare_exchange_weak(0, 5, 6), (5, true));
            assert_eq!(BINS.atomic_compare_exchange_weak(0, 5, 7), (6, false));
            assert_eq!(BINS.load(0), 6);
        }
    };
    for options in many_ways() {
        options.workgroups((3, 1, 1), (64, 1, 1), kernel).unwrap();
    }
}

#[test]
fn cells_of_a_variable_can_be_used_across_a_barrier() {
    dispatch_workgroups((2, 1, 1), (8, 1, 1), |builtins| {
        let i = builtins.local_invocation_index as usize;
        TILE.with_elements(|cells| {
            cells[i].set(i as u32);
            workgroup_barrier();
            assert_eq!(cells[7 - i].get(), 7 - i as u32);
        });
    });
}

#[test]
fn a_uniform_load_is_a_barrier_a_read_and_a_barrier() {
    for options in many_ways() {
        options
            .workgroups((2, 1, 1), (16, 1, 1), |builtins| {
                for round in 1..5 {
                    if builtins.local_invocation_index == round % 16 {
                        COUNT.set(round * 10);
                    }
                    let value = workgroup_uniform_load(&COUNT);
                    // Every invocation writes it: no invocation may read it in this round.
                    COUNT.set(999);
                    assert_eq!(value, round * 10);
                    workgroup_barrier();
                }
            })
            .unwrap();
    }
}

#[test]
fn every_kind_of_barrier_waits() {
    for barrier in [workgroup_barrier, storage_barrier, texture_barrier] {
        for options in many_ways() {
            let run = options.workgroups((2, 1, 1), (16, 1, 1), |_| {
                BINS.atomic_add(0, 1);
                barrier();
                assert_eq!(BINS.load(0), 16);
            });
            run.unwrap();
        }
    }
}

#[test]
fn barriers_do_nothing_outside_of_a_dispatch() {
    workgroup_barrier();
    storage_barrier();
    texture_barrier();
}

#[test]
fn an_empty_grid_does_nothing() {
    for (count, size) in [
        ((0, 1, 1), (1, 1, 1)),
        ((1, 1, 1), (0, 4, 4)),
        ((3, 0, 3), (1, 1, 1)),
    ] {
        dispatch_workgroups(count, size, |_| panic!("nothing runs"));
    }
}

#[test]
fn sizes_that_cannot_be_counted_are_errors() {
    let run = |count, size| DispatchOptions::default().workgroups(count, size, |_| ());
    let message = run((1, 1, 1), (32, 32, 2)).unwrap_err().to_string();
    assert_eq!(
        message,
        "the workgroup size is too large: [32, 32, 2], but 1024 invocations is the limit"
    );
    let message = run((u32::MAX, 1, 1), (2, 1, 1)).unwrap_err().to_string();
    assert!(message.contains("ids have 32 bits"), "{message}");
    let error = run((u32::MAX, u32::MAX, u32::MAX), (1, 1, 1)).unwrap_err();
    assert!(matches!(error, DispatchError::TooLarge { .. }), "{error}");
}

#[test]
fn only_one_workgroup_can_run() {
    let seen = Mutex::new(Vec::new());
    let options = DispatchOptions::default().only(UVec3::new(9, 2, 0));
    options
        .workgroups((4, 4, 1), (4, 1, 1), |builtins| {
            seen.lock().unwrap().push(builtins.global_invocation_id);
        })
        .unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen, [8, 9, 10, 11].map(|x| UVec3::new(x, 2, 0)));
}

#[test]
fn a_random_schedule_shows_a_missing_barrier() {
    // Each invocation reads what its neighbour wrote, without waiting for it.
    let run = |schedule| {
        let out = zeros(64);
        let options = DispatchOptions::default().threads(1).schedule(schedule);
        let result = options.workgroups((1, 1, 1), (64, 1, 1), |builtins| {
            let i = builtins.local_invocation_index as usize;
            TILE.store(i, i as u32 + 1);
            let before = if i == 0 { 0 } else { TILE.load(i - 1) };
            out[i].store(before, Relaxed);
        });
        result.unwrap();
        values(&out)
    };
    let right: Vec<u32> = (0..64).collect();
    assert_eq!(
        run(Schedule::InOrder),
        right,
        "in order the mistake is hidden"
    );
    assert!((0..10).all(|seed| run(Schedule::Random(seed)) != right));
    assert_eq!(
        run(Schedule::Random(5)),
        run(Schedule::Random(5)),
        "a seed repeats"
    );
}

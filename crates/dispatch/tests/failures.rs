//! Failures of kernels end the dispatch with a message and have no other effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use anywarp_dispatch::{
    DispatchError, DispatchOptions, Schedule, StuckInvocation, Watchdog, dispatch_workgroups,
    workgroup, workgroup_barrier,
};
use glam::UVec3;
use rayon::prelude::*;

fn seeded(seed: u64) -> DispatchOptions {
    DispatchOptions::default()
        .threads(1 + seed as usize % 3)
        .schedule(Schedule::Random(seed))
}

/// The pool must still work after every failure.
fn still_works() {
    let counter = AtomicU32::new(0);
    dispatch_workgroups((4, 1, 1), (64, 1, 1), |_| {
        workgroup_barrier();
        counter.fetch_add(1, Relaxed);
    });
    assert_eq!(counter.load(Relaxed), 256);
}

#[test]
fn different_barriers_are_named() {
    for seed in 0..100 {
        let (a, b) = (line!() + 3, line!() + 4);
        let result = seeded(seed).workgroups((2, 1, 1), (8, 1, 1), |builtins| {
            match builtins.local_invocation_index {
                3 => workgroup_barrier(),
                _ => workgroup_barrier(),
            }
        });
        let error = result.unwrap_err();
        let DispatchError::DifferentBarriers {
            first,
            first_location,
            second,
            second_location,
            ..
        } = &error
        else {
            panic!("{error}");
        };
        let mut lines = [first_location.line(), second_location.line()];
        lines.sort_unstable();
        assert_eq!(lines, [a, b]);
        assert!((*first == 3) != (*second == 3), "{error}");
    }
    still_works();
}

#[test]
fn a_barrier_that_some_never_reach_is_named() {
    for seed in 0..100 {
        let barrier = line!() + 3;
        let result = seeded(seed).workgroups((2, 1, 1), (8, 1, 1), |builtins| {
            if builtins.local_invocation_index != 5 {
                workgroup_barrier();
            }
        });
        let error = result.unwrap_err();
        let DispatchError::BarrierNotReached {
            waiting,
            location,
            ended,
            dispatched_at,
            ..
        } = &error
        else {
            panic!("{error}");
        };
        assert_ne!(*waiting, 5);
        assert_eq!(*ended, 5);
        assert_eq!(location.line(), barrier);
        assert_eq!(dispatched_at.line(), barrier - 2);
        assert!(location.file().ends_with("failures.rs"));
    }
    still_works();
}

/// Counts how often it is dropped.
struct Dropped<'a>(&'a AtomicU32);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        // A barrier in a destructor must not unwind from an unwinding invocation.
        workgroup_barrier();
        self.0.fetch_add(1, Relaxed);
    }
}

#[test]
fn a_panic_ends_the_dispatch_and_unwinds_everybody() {
    for seed in 0..100 {
        let (begun, dropped) = (AtomicU32::new(0), AtomicU32::new(0));
        let result = seeded(seed).workgroups((4, 1, 1), (32, 1, 1), |builtins| {
            begun.fetch_add(1, Relaxed);
            let _guard = Dropped(&dropped);
            workgroup_barrier();
            if builtins.local_invocation_index == 17 {
                std::panic::resume_unwind(Box::new("seventeen".to_owned()));
            }
            workgroup_barrier();
        });
        let error = result.unwrap_err();
        let DispatchError::Panicked { invocation, panic } = &error else {
            panic!("{error}");
        };
        assert_eq!(panic.message(), "seventeen");
        assert_eq!(invocation.x % 32, 17);
        assert_eq!(
            begun.load(Relaxed),
            dropped.load(Relaxed),
            "every frame is unwound"
        );
    }
    still_works();
}

#[test]
#[should_panic(expected = "the kernel's own words")]
fn the_plain_dispatch_panics_like_its_invocation() {
    dispatch_workgroups((2, 1, 1), (4, 1, 1), |builtins| {
        workgroup_barrier();
        assert!(
            builtins.local_invocation_index != 2,
            "the kernel's own words"
        );
    });
}

workgroup! {
    static NUMBER: u32;
    static FOUR: [u32; 4];
}

#[test]
#[should_panic(expected = "workgroup variable `NUMBER` exists only inside of a compute dispatch")]
fn a_variable_outside_of_a_dispatch() {
    NUMBER.get();
}

#[test]
#[should_panic(expected = "index 4 is outside of workgroup variable `FOUR`, which has 4 elements")]
fn an_index_outside_of_a_variable() {
    dispatch_workgroups((1, 1, 1), (1, 1, 1), |_| FOUR.store(4, 1));
}

#[test]
fn a_dispatch_inside_of_an_invocation_is_its_own() {
    for seed in 0..100 {
        let total = AtomicU32::new(0);
        seeded(seed)
            .workgroups((3, 1, 1), (8, 1, 1), |outer| {
                NUMBER.set(7 + outer.workgroup_id.x);
                workgroup_barrier();
                let inner_seed = u64::from(outer.local_invocation_index);
                let inner = seeded(inner_seed).workgroups((2, 1, 1), (4, 1, 1), |_| {
                    assert_eq!(NUMBER.get(), 0, "a workgroup of its own");
                    workgroup_barrier();
                    NUMBER.set(1);
                    workgroup_barrier();
                    total.fetch_add(1, Relaxed);
                });
                inner.unwrap();
                assert_eq!(NUMBER.get(), 7 + outer.workgroup_id.x);
                workgroup_barrier();
            })
            .unwrap();
        assert_eq!(total.load(Relaxed), 3 * 8 * 2 * 4);
    }
}

#[test]
fn rayon_inside_of_an_invocation_works_and_sees_no_invocation() {
    for seed in 0..100 {
        let tasks = AtomicU32::new(0);
        seeded(seed)
            .workgroups((2, 1, 1), (8, 1, 1), |builtins| {
                workgroup_barrier();
                let sum: u32 = (0..100u32)
                    .into_par_iter()
                    .map(|i| {
                        // Would wait forever, or fail, if it counted as the invocation's.
                        workgroup_barrier();
                        tasks.fetch_add(1, Relaxed);
                        i
                    })
                    .sum();
                assert_eq!(sum, 4950);
                assert_eq!(
                    anywarp_dispatch::local_invocation_index(),
                    builtins.local_invocation_index
                );
                workgroup_barrier();
            })
            .unwrap();
        assert_eq!(tasks.load(Relaxed), 1600);
    }
}

#[test]
fn a_dispatch_inside_of_a_rayon_task_keeps_its_invocations_off_the_worker() {
    let wrong: u32 = (0..16u32)
        .into_par_iter()
        .map(|task| {
            let wrong = AtomicU32::new(0);
            dispatch_workgroups((2, 1, 1), (16, 1, 1), |_| {
                NUMBER.set(task);
                workgroup_barrier();
                // Another dispatch's invocation must not run here in the meantime.
                (0..10u32).into_par_iter().for_each(|_| workgroup_barrier());
                wrong.fetch_add(u32::from(NUMBER.get() != task), Relaxed);
                workgroup_barrier();
            });
            wrong.into_inner()
        })
        .sum();
    assert_eq!(wrong, 0);
}

#[test]
fn the_watchdog_names_an_invocation_that_never_yields() {
    let flag = Arc::new(AtomicBool::new(false));
    let told = Arc::new(std::sync::Mutex::new(Vec::<StuckInvocation>::new()));
    let (release, list) = (flag.clone(), told.clone());
    let options = DispatchOptions::default()
        .threads(2)
        .watchdog(Watchdog::call_after(
            Duration::from_millis(50),
            move |stuck| {
                list.lock().unwrap().push(stuck);
                release.store(true, Relaxed);
            },
        ));
    options
        .workgroups((3, 1, 1), (4, 1, 1), |builtins| {
            workgroup_barrier();
            // Waits for a sibling that cannot run as long as it does.
            while builtins.global_invocation_id.x == 6 && !flag.load(Relaxed) {
                std::hint::spin_loop();
            }
        })
        .unwrap();
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].group, told[0].member), (UVec3::new(1, 0, 0), 2));
}

/// Recurses `depth` times with a frame of at least 1 KiB.
#[inline(never)]
fn deep(depth: u32) -> u32 {
    let frame = std::hint::black_box([depth; 256]);
    if depth == 0 {
        0
    } else {
        deep(depth - 1) + frame[7] - depth + 1
    }
}

#[test]
fn a_larger_stack_can_be_had() {
    let options = DispatchOptions::default().stack_size(4 << 20);
    options
        .workgroups((1, 1, 1), (2, 1, 1), |_| {
            workgroup_barrier();
            assert_eq!(deep(2000), 2000);
        })
        .unwrap();
}

#[test]
fn the_smallest_stack_is_enough_for_a_panic() {
    let options = DispatchOptions::default().stack_size(1);
    let result = options.workgroups((2, 1, 1), (2, 1, 1), |builtins| {
        workgroup_barrier();
        assert!(builtins.local_invocation_index == 0, "the second one");
        workgroup_barrier();
    });
    let error = result.unwrap_err();
    assert!(
        error.to_string().contains("panicked: the second one"),
        "{error}"
    );
    let absurd = DispatchOptions::default().stack_size(usize::MAX);
    let result = absurd.workgroups((1, 1, 1), (1, 1, 1), |_| ());
    assert!(matches!(result, Err(DispatchError::Stack(_))), "{result:?}");
}

#[test]
fn a_stack_overflow_is_a_message() {
    const CHILD: &str = "ANYWARP_OVERFLOW_CHILD";
    if std::env::var_os(CHILD).is_some() {
        dispatch_workgroups((1, 1, 1), (2, 1, 1), |_| {
            workgroup_barrier();
            deep(u32::MAX);
        });
        return;
    }
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "failures::a_stack_overflow_is_a_message",
            "--nocapture",
        ])
        .env(CHILD, "1")
        .output()
        .unwrap();
    assert!(!child.status.success());
    let text = String::from_utf8_lossy(&child.stderr);
    assert!(
        text.contains("an invocation has overflowed its stack"),
        "{text}"
    );
}

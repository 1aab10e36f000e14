//! Dispatches in unusual places and kernels that misbehave: no hang, no undefined behaviour.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Barrier, Mutex};

use anywarp_dispatch::{
    DispatchError, DispatchOptions, Schedule, compute_builtins, dispatch_image,
    dispatch_workgroups, dpdx, outside_of_dispatch, workgroup, workgroup_barrier,
};

fn on_threads(threads: usize) -> DispatchOptions {
    DispatchOptions::default().threads(threads)
}

workgroup! {
    static SUM: [u32; 1];
}

/// A dispatch whose result is correct only if its barriers wait.
fn barriers_wait() {
    let wrong = AtomicU32::new(0);
    dispatch_workgroups((3, 1, 1), (32, 1, 1), |_| {
        SUM.atomic_add(0, 1);
        workgroup_barrier();
        wrong.fetch_add(u32::from(SUM.load(0) != 32), Relaxed);
    });
    assert_eq!(wrong.load(Relaxed), 0);
}

/// Runs a dispatch when it is dropped.
struct DispatchesInDrop;

impl Drop for DispatchesInDrop {
    fn drop(&mut self) {
        barriers_wait();
    }
}

#[test]
fn a_dispatch_while_the_thread_unwinds_waits_at_its_barriers() {
    let unwinding = catch_unwind(|| {
        let _dispatches = DispatchesInDrop;
        resume_unwind(Box::new(1));
    });
    assert_eq!(unwinding.unwrap_err().downcast_ref(), Some(&1));
}

#[test]
fn a_dispatch_while_an_invocation_unwinds_waits_at_its_barriers() {
    for threads in [1, 3] {
        let result = on_threads(threads).workgroups((4, 1, 1), (8, 1, 1), |builtins| {
            let _dispatches = DispatchesInDrop;
            workgroup_barrier();
            if builtins.local_invocation_index == 3 {
                resume_unwind(Box::new("three"));
            }
            workgroup_barrier();
        });
        assert!(matches!(result, Err(DispatchError::Panicked { .. })));
    }
    barriers_wait();
}

#[test]
fn a_dispatch_in_the_destructor_of_a_thread_local() {
    thread_local! {
        static LAST: RefCell<Option<DispatchesInDrop>> = const { RefCell::new(None) };
    }
    let thread = std::thread::spawn(|| LAST.set(Some(DispatchesInDrop)));
    thread.join().unwrap();
}

#[test]
fn dispatches_in_threads_of_a_scope_inside_and_outside_of_invocations() {
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(barriers_wait);
        }
        barriers_wait();
    });
    dispatch_workgroups((2, 1, 1), (4, 1, 1), |_| {
        workgroup_barrier();
        std::thread::scope(|scope| {
            // A thread that the kernel spawned is outside the dispatch.
            scope.spawn(|| {
                assert_eq!(compute_builtins(), None);
                workgroup_barrier();
                barriers_wait();
            });
            // The siblings run while this scope is open.
            workgroup_barrier();
        });
        workgroup_barrier();
    });
}

/// A panic payload that panics itself when it is dropped.
struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        // A barrier in it must have no effect on others either.
        workgroup_barrier();
        panic!("the payload's own panic");
    }
}

/// The first payload belongs to the caller; the destructors of the others have no effect.
fn defuse(result: Result<(), DispatchError>) {
    match result.unwrap_err() {
        DispatchError::Panicked { panic, .. } => std::mem::forget(panic.into_payload()),
        error => panic!("{error}"),
    }
}

#[test]
fn payloads_that_panic_when_dropped() {
    for seed in 0..20 {
        let options = on_threads(2).schedule(Schedule::Random(seed));
        defuse(options.workgroups((4, 1, 1), (8, 1, 1), |builtins| {
            let waited = catch_unwind(AssertUnwindSafe(workgroup_barrier));
            // A cancelled invocation that panics by itself: another payload to discard.
            if waited.is_err() || builtins.local_invocation_index == 3 {
                panic_any(PanicsOnDrop);
            }
        }));
    }
    barriers_wait();
}

#[test]
fn threads_that_fail_together_end_the_dispatch_of_a_rayon_worker() {
    // The worker runs no invocation: it waits for the threads to end.
    rayon::scope(|scope| {
        scope.spawn(|_| {
            let both = Barrier::new(2);
            defuse(on_threads(2).workgroups((2, 1, 1), (1, 1, 1), |_| {
                both.wait();
                panic_any(PanicsOnDrop);
            }));
        });
    });
    barriers_wait();
}

#[test]
fn a_cancellation_kept_for_later_is_a_panic() {
    let kept = Mutex::new(None::<Box<dyn Any + Send>>);
    let result = on_threads(1).workgroups((1, 1, 1), (2, 1, 1), |builtins| {
        if builtins.local_invocation_index == 0 {
            let waited = catch_unwind(AssertUnwindSafe(workgroup_barrier));
            *kept.lock().unwrap() = waited.err();
        }
    });
    assert!(matches!(
        result,
        Err(DispatchError::BarrierNotReached { .. })
    ));
    let result = on_threads(1).workgroups((1, 1, 1), (2, 1, 1), |builtins| {
        if builtins.local_invocation_index == 1 {
            resume_unwind(kept.lock().unwrap().take().unwrap());
        }
    });
    assert!(
        matches!(result, Err(DispatchError::Panicked { .. })),
        "{result:?}"
    );
}

#[test]
fn a_pixel_whose_old_value_panics_when_dropped() {
    struct Pixel(bool);
    impl Drop for Pixel {
        fn drop(&mut self) {
            // The old value of a pixel is dropped by its fragment, whose destructor may synchronize
            // with others.
            assert_eq!(dpdx(1.0), 0.0);
            assert!(!self.0, "the old pixel");
        }
    }
    let mut pixels: Vec<_> = (0..16).map(|i| Pixel(i == 5)).collect();
    let draw = AssertUnwindSafe(|| dispatch_image(4, &mut pixels, |_| Pixel(false)));
    let payload = catch_unwind(draw).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"the old pixel"));
    assert!(pixels.iter().all(|pixel| !pixel.0), "each was dropped once");
}

#[test]
fn outside_of_the_dispatch_nothing_waits() {
    dispatch_workgroups((2, 1, 1), (8, 1, 1), |builtins| {
        if builtins.local_invocation_index % 2 == 1 {
            // Only some invocations come here, so this would diverge.
            outside_of_dispatch(|| {
                workgroup_barrier();
                assert_eq!(compute_builtins(), None);
                barriers_wait();
            });
            let lost = catch_unwind(|| outside_of_dispatch(|| resume_unwind(Box::new(()))));
            assert!(lost.is_err());
        }
        workgroup_barrier();
        assert_eq!(compute_builtins(), Some(builtins));
    });
}

#[test]
fn thread_locals_are_those_of_the_workgroups_thread() {
    thread_local! {
        static HERE: Cell<u32> = const { Cell::new(0) };
    }
    on_threads(4)
        .workgroups((64, 1, 1), (16, 1, 1), |builtins| {
            let thread = std::thread::current().id();
            if builtins.local_invocation_index == 0 {
                HERE.set(builtins.workgroup_id.x);
            }
            for _ in 0..3 {
                workgroup_barrier();
                assert_eq!(HERE.get(), builtins.workgroup_id.x);
                assert_eq!(std::thread::current().id(), thread);
            }
        })
        .unwrap();
}

#[test]
fn absurd_numbers_of_threads_are_only_a_wish() {
    for threads in [usize::MAX, usize::MAX / 16 + 1] {
        let count = AtomicU32::new(0);
        let result = on_threads(threads).workgroups((3, 1, 1), (2, 1, 1), |_| {
            count.fetch_add(1, Relaxed);
        });
        result.unwrap();
        assert_eq!(count.load(Relaxed), 6);
    }
}

#[test]
fn a_picture_that_no_memory_can_hold_is_an_error() {
    let side = u32::MAX - 1;
    let result = DispatchOptions::default().fragments(side, side, |_, _| (), |_, ()| [0u64; 8]);
    assert!(matches!(result, Err(DispatchError::TooLarge { .. })));
}

#[test]
fn errors_can_travel() {
    fn travels<T: std::error::Error + Send + Sync + 'static>() {}
    travels::<DispatchError>();
}

//! Batches that end without results: cancelled, reset, timed out, or pending when the runner is
//! dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anywarp_batch::{BatchError, BatchRunnerDescriptor, Clock, Failed, SubmitError};

use crate::gpu::{Gpu, words};
use crate::machine::{
    Setup, State, assert_sequential, machine, model, parameter, parameters, run_all,
};

#[test]
fn a_reset_begins_anew() {
    Gpu::each("reset", |gpu| {
        for submitted in 1..4 {
            let state = State::new(gpu, 40);
            let setup = Setup {
                slots: 3,
                ..Default::default()
            };
            let mut runner = state.runner(gpu, setup);
            for number in 0..submitted {
                runner.submit(&parameter(number).to_le_bytes()).unwrap();
            }
            let cancelled = runner.reset();
            assert_eq!(cancelled.len(), submitted as usize);
            assert_eq!(runner.epoch(), 1);
            state.write(gpu, &[7; 40]);
            let mut results = Vec::new();
            for number in 0..10 {
                let id = loop {
                    match runner.submit(&parameter(number).to_le_bytes()) {
                        Ok(id) => break id,
                        Err(SubmitError::Full) => results.push(runner.wait().unwrap().unwrap()),
                        Err(error) => panic!("{error}"),
                    }
                };
                assert!(!cancelled.contains(&id));
            }
            while let Some(outcome) = runner.wait() {
                results.push(outcome.unwrap());
            }
            assert!(results.iter().all(|result| !cancelled.contains(&result.id)));
            let expected = model(&[7; 40], &parameters(10));
            let results: Vec<_> = results.iter().map(|it| words(&it.results[0])).collect();
            assert_eq!(results, expected, "{} after {submitted}", gpu.name);
        }
    });
}

#[test]
fn outcomes_not_collected_are_dropped_by_a_reset() {
    let gpu = Gpu::cpu();
    let mut runner = machine(&gpu, Setup::default());
    runner.submit(&[0; 4]).unwrap();
    while runner.poll() == 0 {}
    assert_eq!(runner.reset(), [], "it was not pending any more");
    assert_eq!(runner.wait(), None);
}

#[test]
fn a_cancelled_batch_never_arrives_and_the_others_do() {
    Gpu::each("cancel", |gpu| {
        let setup = Setup {
            slots: 3,
            ..Default::default()
        };
        let mut runner = machine(gpu, setup);
        let ids = [0, 1, 2].map(|number| runner.submit(&parameter(number).to_le_bytes()).unwrap());
        // The first is in flight alone: the second is not on the device yet and never will be.
        assert!(runner.cancel(ids[1]));
        assert!(!runner.cancel(ids[1]));
        let mut arrived = Vec::new();
        while let Some(outcome) = runner.wait() {
            arrived.push(outcome.unwrap());
        }
        assert_eq!(arrived.len(), 2);
        assert_eq!((arrived[0].id, arrived[1].id), (ids[0], ids[2]));
        assert!(!runner.cancel(ids[0]), "it has arrived");
        let expected = model(&[1; 40], &[parameter(0), parameter(2)]);
        assert_eq!(words(&arrived[1].results[0]), expected[1]);
        assert_eq!(runner.stats().cancelled, 1);
    });
}

#[test]
fn a_batch_out_of_time_ends_with_an_error() {
    let gpu = Gpu::cpu();
    let time = Arc::new(AtomicU64::new(0));
    let now = Arc::clone(&time);
    let setup = Setup {
        runner: BatchRunnerDescriptor {
            timeout: Some(Duration::from_secs(5)),
            clock: Some(Clock::new(move || {
                Duration::from_secs(now.load(Ordering::Relaxed))
            })),
            ..Default::default()
        },
        ..Default::default()
    };
    let mut runner = machine(&gpu, setup);
    run_all(&mut runner, 3);
    let late = runner.submit(&[0; 4]).unwrap();
    time.store(5, Ordering::Relaxed);
    // It may have finished in time, but nothing polls the runner before the deadline. A batch that
    // was read back counts.
    match runner.wait().unwrap() {
        Ok(completed) => assert_eq!(completed.id, late),
        Err(failed) => {
            let error = BatchError::TimedOut;
            assert_eq!(failed, Failed { id: late, error });
            assert_eq!(runner.stats().timed_out, 1);
        }
    }
    assert_eq!(runner.wait(), None);
    gpu.settle();
    runner.poll();
    assert_eq!(runner.stats().in_flight, 0);
    runner.submit(&[0; 4]).unwrap();
    runner.wait().unwrap().unwrap();
}

#[test]
fn no_time_at_all() {
    Gpu::each("timeouts", |gpu| {
        let state = State::new(gpu, 40);
        let setup = Setup {
            runner: BatchRunnerDescriptor {
                timeout: Some(Duration::ZERO),
                ..Default::default()
            },
            ..Default::default()
        };
        let mut runner = state.runner(gpu, setup);
        let mut ids = Vec::new();
        while ids.len() < 10 {
            match runner.submit(&[0; 4]) {
                Ok(id) => ids.push(id),
                Err(SubmitError::Full) => drop(runner.wait().unwrap()),
                Err(error) => panic!("{error}"),
            }
        }
        while runner.wait().is_some() {}
        let stats = runner.stats();
        assert_eq!(stats.completed + stats.timed_out, 10);
    });
}

#[test]
fn a_dropped_runner_resolves_its_batches() {
    Gpu::each("drop", |gpu| {
        let mut runner = machine(gpu, Setup::default());
        assert_sequential(&run_all(&mut runner, 2), &[1; 40], &gpu.name);
        let outcomes = runner.outcomes();
        let ids = [0, 1].map(|_| runner.submit(&[0; 4]).unwrap());
        drop(runner);
        for id in ids {
            let error = BatchError::Dropped;
            let outcome = pollster::block_on(outcomes.next());
            assert_eq!(outcome, Some(Err(Failed { id, error })));
        }
        assert_eq!(pollster::block_on(outcomes.next()), None);
        gpu.settle();
    });
}

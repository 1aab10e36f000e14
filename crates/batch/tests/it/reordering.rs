//! The guarantee on a reordering queue, which overlaps and reorders submissions by seed and lets
//! compare-exchanges fail spuriously: bit-equal to sequential execution, each batch applied once,
//! and every skip counted.
//!
//! `ANYWARP_SEEDS=10000 cargo test -p anywarp-batch --test it reordering` runs the long
//! campaign.

use std::io::{Write, stderr};

use anywarp_adapter::Misbehaviour;
use anywarp_batch::{BatchLock, BatchOrder, DeviceCounters, Stats};

use crate::gpu::{Gpu, Mapping, words};
use crate::machine::{
    Setup, State, assert_sequential, machine, model, parameter, parameters, run_all,
};

const BATCHES: u32 = 20;

fn seeds() -> u64 {
    match std::env::var("ANYWARP_SEEDS") {
        Ok(count) => count.parse().expect("ANYWARP_SEEDS is a number"),
        Err(_) => 300,
    }
}

fn gpu(seed: u64) -> Gpu {
    let misbehaviour = Misbehaviour {
        seed,
        overlap: 2 + seed as usize % 5,
        spurious_failures: [0.0, 0.1, 0.5][seed as usize % 3],
    };
    let mapping = [Mapping::SomeBuffers, Mapping::AnyBuffer][seed as usize % 2];
    Gpu::reordering(misbehaviour, mapping)
}

/// Sums over all seeds.
#[derive(Default)]
struct Campaign {
    seeds: u64,
    batches: u64,
    skipped: u64,
    early: u64,
    spurious: u64,
}

impl Campaign {
    fn add(&mut self, stats: Stats) {
        self.count(stats.completed, stats.skipped);
        self.device(stats.device);
    }

    fn count(&mut self, completed: u64, skipped: u64) {
        self.seeds += 1;
        self.batches += completed;
        self.skipped += skipped;
    }

    fn device(&mut self, counters: DeviceCounters) {
        self.early += u64::from(counters.early);
        self.spurious += u64::from(counters.spurious);
    }

    /// Prints the counts, and checks that there were collisions to observe.
    fn report(&self, name: &str) {
        let Self {
            seeds,
            batches,
            skipped,
            early,
            spurious,
        } = self;
        let line = format!(
            "{name}: {seeds} seeds, {batches} batches, {skipped} skipped ({early} early), \
             {spurious} spurious failures\n"
        );
        let _ = stderr().write_all(line.as_bytes());
        assert!(*skipped > 0 && *spurious > 0, "nothing was disturbed");
    }
}

#[test]
fn in_order_it_is_sequential_execution() {
    let mut campaign = Campaign::default();
    for seed in 0..seeds() {
        let gpu = gpu(seed);
        let slots = [2, 3, 8, 1, 4][(seed / 5) as usize % 5];
        let setup = Setup {
            slots,
            cells: 12,
            ..Default::default()
        };
        let mut runner = machine(&gpu, setup);
        let outcomes = run_all(&mut runner, BATCHES);
        assert_sequential(&outcomes, &[1; 12], &format!("seed {seed}, {slots} slots"));
        let stats = runner.stats();
        let retries: u64 = outcomes.iter().map(|it| u64::from(it.retries)).sum();
        assert_eq!(stats.skipped, u64::from(stats.device.collisions), "{seed}");
        assert_eq!(stats.skipped, retries, "{seed}");
        assert_eq!(stats.device.applied, BATCHES, "{seed}");
        campaign.add(stats);
    }
    campaign.report("ordered");
}

#[test]
fn without_order_each_batch_is_applied_once() {
    let mut campaign = Campaign::default();
    for seed in 0..seeds() {
        let gpu = gpu(seed);
        let state = State::new(&gpu, 12);
        let setup = Setup {
            slots: [2, 3, 8][seed as usize % 3],
            cells: 12,
            order: BatchOrder::Unordered,
            ..Default::default()
        };
        let mut runner = state.runner(&gpu, setup);
        run_all(&mut runner, BATCHES);
        let sum = (0..BATCHES).map(parameter).fold(1, u32::wrapping_add);
        assert_eq!(gpu.read(&state.state), [sum; 12], "seed {seed}");
        let stats = runner.stats();
        assert_eq!(stats.skipped, u64::from(stats.device.collisions), "{seed}");
        assert_eq!((stats.device.early, stats.device.applied), (0, BATCHES));
        campaign.add(stats);
    }
    campaign.report("unordered");
}

#[test]
fn two_runners_exclude_each_other() {
    for seed in 0..seeds().min(500) {
        let gpu = gpu(seed);
        let lock = BatchLock::new(&gpu.device, &gpu.queue, 4).unwrap();
        let state = State::new(&gpu, 12);
        // The state is initialized before two batches can begin.
        gpu.settle();
        let mut runners = [0, 1].map(|_| {
            state.runner(
                &gpu,
                Setup {
                    cells: 12,
                    order: BatchOrder::Unordered,
                    lock: Some(lock.clone()),
                    ..Default::default()
                },
            )
        });
        for number in 0..10_u32 {
            for runner in &mut runners {
                while runner.submit(&number.to_le_bytes()).is_err() {
                    runner.wait().unwrap().unwrap();
                }
            }
        }
        for runner in &mut runners {
            while let Some(outcome) = runner.wait() {
                outcome.unwrap();
            }
        }
        assert_eq!(gpu.read(&state.state), [1 + 2 * 45; 12], "seed {seed}");
    }
}

/// Each runner keeps its own order, and the two orders are interleaved: at every moment the next
/// batch of one of them is the next to be applied to the state.
#[test]
fn two_runners_each_in_order() {
    let mut campaign = Campaign::default();
    for seed in 0..seeds().min(500) {
        let gpu = gpu(seed);
        let lock = BatchLock::new(&gpu.device, &gpu.queue, 5).unwrap();
        let state = State::new(&gpu, 12);
        // The state is initialized before two batches can begin.
        gpu.settle();
        let mut runners = [2, 3].map(|slots| {
            let setup = Setup {
                slots,
                cells: 12,
                lock: Some(lock.clone()),
                ..Default::default()
            };
            state.runner(&gpu, setup)
        });
        let mut results = [Vec::new(), Vec::new()];
        for number in 0..10 {
            for (runner, results) in runners.iter_mut().zip(&mut results) {
                while runner.submit(&parameter(number).to_le_bytes()).is_err() {
                    results.push(words(&runner.wait().unwrap().unwrap().results[0]));
                }
            }
        }
        for (runner, results) in runners.iter_mut().zip(&mut results) {
            while let Some(outcome) = runner.wait() {
                results.push(words(&outcome.unwrap().results[0]));
            }
        }
        let mut done = [0, 0];
        let mut now = vec![1; 12];
        while done != [10, 10] {
            let next = |which: usize| {
                let result = results[which].get(done[which])?;
                let expected = model(&now, &[parameter(done[which] as u32)]);
                (*result == expected[0]).then_some(which)
            };
            let which = next(0).or_else(|| next(1));
            let which = which.unwrap_or_else(|| panic!("seed {seed}: corrupt after {done:?}"));
            now.clone_from(&results[which][done[which]]);
            done[which] += 1;
        }
        let [first, second] = runners.map(|runner| runner.stats());
        let collisions = first.device.collisions.max(second.device.collisions);
        assert_eq!(first.skipped + second.skipped, u64::from(collisions));
        let device = if first.device.applied > second.device.applied {
            first.device
        } else {
            second.device
        };
        campaign.count(first.completed + second.completed, u64::from(collisions));
        campaign.device(device);
    }
    campaign.report("two runners");
}

/// Batches cancelled in the middle may be applied or not, but the batches after them are
/// sequential.
#[test]
fn after_a_reset_it_is_sequential_again() {
    for seed in 0..seeds().min(500) {
        let gpu = gpu(seed);
        let state = State::new(&gpu, 12);
        let setup = Setup {
            slots: 3,
            cells: 12,
            ..Default::default()
        };
        let mut runner = state.runner(&gpu, setup);
        run_all(&mut runner, 1 + seed as u32 % 3);
        for number in 0..3 {
            let _ = runner.submit(&parameter(number).to_le_bytes());
        }
        let last = runner.reset().into_iter().max();
        // New batches wait until the old ones have finished, and this write goes with the first of
        // them.
        state.write(&gpu, &[1; 12]);
        let first = last.map_or(0, |id| id.number() + 1);
        let mut outcomes = Vec::new();
        for number in 0..10 {
            while runner.submit(&parameter(number).to_le_bytes()).is_err() {
                outcomes.push(runner.wait().unwrap().unwrap());
            }
        }
        while let Some(outcome) = runner.wait() {
            outcomes.push(outcome.unwrap());
        }
        let expected = model(&[1; 12], &parameters(10));
        for (outcome, (number, expected)) in outcomes.iter().zip((first..).zip(&expected)) {
            assert_eq!(outcome.id.number(), number, "seed {seed}");
            assert_eq!(&words(&outcome.results[0]), expected, "{seed}");
        }
        assert_eq!(outcomes.len(), 10);
    }
}

/// Cancelling at random: each batch that was not cancelled is applied once, in order.
#[test]
fn a_place_that_closes_stops_nobody() {
    for seed in 0..seeds().min(500) {
        let gpu = gpu(seed);
        let setup = Setup {
            slots: 4,
            cells: 12,
            ..Default::default()
        };
        let mut runner = machine(&gpu, setup);
        run_all(&mut runner, 1);
        let ids: Vec<_> = (0..4)
            .map(|number| runner.submit(&parameter(number).to_le_bytes()).unwrap())
            .collect();
        let cancelled = ids[seed as usize % 4];
        if seed % 2 == 0 {
            runner.poll();
        }
        let is_cancelled = runner.cancel(cancelled);
        let mut arrived = Vec::new();
        while let Some(outcome) = runner.wait() {
            arrived.push(outcome.unwrap().id);
        }
        let expected: Vec<_> = (ids.iter().copied())
            .filter(|id| !is_cancelled || *id != cancelled)
            .collect();
        assert_eq!(arrived, expected, "seed {seed}");
    }
}

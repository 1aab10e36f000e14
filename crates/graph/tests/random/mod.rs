//! Random small graphs, compared with the oracle record by record.
//!
//! The records that nodes send depend only on the values that they received, so the result does not
//! depend on any order. `ANYWARP_SEEDS=5000 cargo test -p anywarp-graph --test it random::` runs more of
//! them on all devices; append `-- on_the_cpu_adapter` or `-- on_vulkan` for one kind of device.
//! `ANYWARP_FIRST_SEED` sets the first seed.

mod chance;
mod device;
mod disguise;
mod generate;
mod inputs;
mod model;
mod shape;
mod tint;
mod wgsl;

use crate::common::{Gpu, say};
use chance::Chance;
use device::{Mode, Tally};

fn number(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(otherwise, |value| {
        value.parse().unwrap_or_else(|_| panic!("{name}={value}"))
    })
}

fn seeds(otherwise: u64) -> std::ops::Range<u64> {
    let first = number("ANYWARP_FIRST_SEED", 0);
    first..first + number("ANYWARP_SEEDS", otherwise)
}

/// The graphs of CI include the rare kinds.
#[test]
fn graphs_of_every_kind_come_up() {
    let (mut overridden, mut recursing, mut wide, mut empty_grids) = (0, 0, 0, 0);
    for seed in 0..300 {
        let (shape, _) = generate::shape(seed);
        overridden += shape.overridden;
        recursing += shape.arrays_with_a_recursing_member();
        wide += u32::from(shape.largest_input() > 1024);
        empty_grids += shape.grids_of_nothing();
    }
    let found = [overridden, recursing, wide, empty_grids];
    say(&format!("overridden, recursing, wide, empty: {found:?}\n"));
    assert!(found.iter().all(|&count| count >= 10), "{found:?}");
}

/// Any grouping of the records of coalescing nodes has the same result.
#[test]
fn the_oracle_does_not_depend_on_the_grouping() {
    for seed in seeds(300) {
        let (shape, mut expected) = generate::shape(seed);
        expected.sort_unstable();
        let mut chance = Chance::new(seed);
        let grouping = |waiting| 1 + chance.below(waiting);
        let mut found = model::run(&shape, 1 << 20, grouping).unwrap();
        found.sort_unstable();
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn on_the_cpu_adapter() {
    let gpu = Gpu::cpu();
    let (mut entries, mut tally) = (0, Tally::default());
    for seed in seeds(300) {
        let (shape, expected) = generate::shape(seed);
        for mode in Mode::chosen(seed, &shape) {
            device::compare(&gpu, seed, &shape, &expected, mode, &mut tally);
        }
        entries += expected.len();
    }
    finish(&gpu, entries, tally);
}

/// Prints statistics. If there were many graphs, some of them must have been recorded.
fn finish(gpu: &Gpu, entries: usize, tally: Tally) {
    let Tally {
        runs,
        recorded,
        least,
        sweeps,
    } = tally;
    say(&format!(
        "{runs} runs and {recorded} recorded ones of graphs with {entries} entries on {}; \
         {least} runs with the least memory took {sweeps} sweeps\n",
        gpu.name
    ));
    assert!(recorded > 0 || runs < 27, "nothing was recorded");
}

#[test]
fn under_random_schedules() {
    let mut tally = Tally::default();
    for seed in seeds(60) {
        let (shape, expected) = generate::shape(seed);
        let gpu = Gpu::reordering(seed);
        for mode in Mode::one_of(seed, &shape, seed) {
            device::compare(&gpu, seed, &shape, &expected, mode, &mut tally);
        }
    }
    assert!(tally.recorded > 0 || tally.runs < 27, "{tally:?}");
}

#[test]
fn on_vulkan() {
    for gpu in Gpu::vulkan("random graphs") {
        let (mut entries, mut tally) = (0, Tally::default());
        for seed in seeds(27) {
            let (shape, expected) = generate::shape(seed);
            for mode in Mode::one_of(seed, &shape, seed / 2) {
                device::compare(&gpu, seed, &shape, &expected, mode, &mut tally);
            }
            entries += expected.len();
        }
        finish(&gpu, entries, tally);
    }
}

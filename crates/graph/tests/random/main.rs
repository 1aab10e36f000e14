//! Random small graphs against the oracle, record for record.
//!
//! What nodes send follows from the values that they got, so the result does not depend on any order.
//! `ANYWARP_SEEDS=5000 cargo test -p anywarp-graph --test random` runs more of them, and
//! `ANYWARP_FIRST_SEED` begins elsewhere.

mod chance;
#[path = "../common/mod.rs"]
mod common;
mod device;
mod generate;
mod model;
mod shape;
mod tint;
mod wgsl;

use chance::Chance;
use common::{Gpu, say};
use device::Mode;

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

/// Any grouping of the records of coalescing nodes gives the same.
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
    let (mut launches, mut runs) = (0, 0);
    for seed in seeds(300) {
        let (shape, expected) = generate::shape(seed);
        for mode in Mode::chosen(seed) {
            device::compare(&gpu, seed, &shape, &expected, mode);
            runs += 1;
        }
        launches += expected.len();
    }
    say(&format!(
        "{runs} runs, {launches} entries on {}\n",
        gpu.name
    ));
}

#[test]
fn under_random_schedules() {
    for seed in seeds(60) {
        let (shape, expected) = generate::shape(seed);
        let gpu = Gpu::unruly(seed);
        let mode = Mode::chosen(seed)[(seed % 2) as usize];
        device::compare(&gpu, seed, &shape, &expected, mode);
    }
}

#[test]
fn on_vulkan() {
    for gpu in Gpu::vulkan("random graphs") {
        for seed in seeds(20) {
            let (shape, expected) = generate::shape(seed);
            let mode = Mode::chosen(seed)[(seed / 2 % 2) as usize];
            device::compare(&gpu, seed, &shape, &expected, mode);
        }
    }
}

//! Differential tests with random modules: the virtual machine must behave as wasmi does, and no
//! input bytes may make the translation panic.
//!
//! `ANYWARP_SEEDS` sets the number of modules, or the range of seeds: `5000` or `5000..9000`. With
//! `--nocapture` the number of comparisons is printed.

mod comparable;
mod determined;
mod generate;
mod mutate;
mod oracle;

use std::ops::Range;
use std::time::{Duration, Instant};

pub(crate) use determined::determined;
pub(crate) use generate::{bytes, module_of};
use oracle::Compared;

/// The default number of modules.
const SEEDS: u64 = 300;
/// Modules that take longer are reported.
const SLOW: Duration = Duration::from_secs(5);

fn seeds() -> Range<u64> {
    let Ok(given) = std::env::var("ANYWARP_SEEDS") else {
        return 0..SEEDS;
    };
    let (first, end) = given.split_once("..").unwrap_or(("0", &given));
    match (first.parse(), end.parse()) {
        (Ok(first), Ok(end)) => first..end,
        _ => panic!("ANYWARP_SEEDS is `{given}`: a number or `first..end` is meant"),
    }
}

/// The module of a seed.
fn module(seed: u64) -> Option<Vec<u8>> {
    module_of(seed, &bytes(seed, 2000 + (seed as usize % 8) * 1000))
}

#[test]
fn random_modules_behave_as_in_wasmi() {
    let seeds = seeds();
    let many = 2 * seeds.clone().count();
    let mut all = Compared::default();
    for seed in seeds {
        let start = Instant::now();
        if let Some(wasm) = module(seed) {
            all += oracle::compare(seed, &wasm);
        }
        if start.elapsed() > SLOW {
            show(&format!("seed {seed} took {:.1?}", start.elapsed()));
        }
    }
    show(&format!("{all:?}"));
    let calls = all.calls;
    assert!(calls >= many, "only {calls} calls were compared");
}

#[expect(clippy::print_stdout, reason = "for long campaigns, with --nocapture")]
fn show(text: &str) {
    println!("{text}");
}

#[test]
fn no_bytes_make_the_translation_panic() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in seeds() {
        let Some(wasm) = module(seed) else { continue };
        for round in 0..20 {
            let wasm = mutate::mutated(&wasm, &bytes(seed * 1000 + round + 7, 64));
            match anywarp_wasm::translate(&wasm, &anywarp_wasm::TranslateOptions::default()) {
                Ok(program) => {
                    accepted += 1;
                    anywarp_wasm::bytecode::verify(&program.bytecode)
                        .unwrap_or_else(|error| panic!("seed {seed}, round {round}: {error}"));
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    assert!(
        accepted > 0 && refused > 0,
        "{accepted} accepted, {refused} refused"
    );
}

//! Random modules: what comes of them on the virtual machine is what comes of them in wasmi, and no
//! bytes make the translation panic.
//!
//! `ANYWARP_SEEDS` says how many modules to try instead of the usual number, or which: `5000` or
//! `5000..9000`. With `--nocapture` what was compared is counted.

mod determined;
mod mutate;
mod oracle;

use std::ops::Range;
use std::time::{Duration, Instant};

use oracle::Compared;
use wasm_smith::Config;

/// Modules that are tried where nobody says how many.
const SEEDS: u64 = 300;
/// A module that takes longer is worth a look.
const SLOW: Duration = Duration::from_secs(5);

fn seeds() -> Range<u64> {
    let Ok(given) = std::env::var("ANYWARP_SEEDS") else {
        return 0..SEEDS;
    };
    let (first, behind) = given.split_once("..").unwrap_or(("0", &given));
    match (first.parse(), behind.parse()) {
        (Ok(first), Ok(behind)) => first..behind,
        _ => panic!("ANYWARP_SEEDS is `{given}`: a number or `first..behind` is meant"),
    }
}

/// Bytes of a generator (SplitMix64), so that a seed always gives the same module.
fn bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// A module by its number: every feature that is supported, nothing imported, endless loops cut off by
/// a counter of the module's own.
fn module(seed: u64) -> Option<Vec<u8>> {
    let config = Config {
        min_funcs: 4,
        max_funcs: 12,
        min_exports: 1,
        max_imports: 0,
        max_memories: 1,
        max_memory32_bytes: 4 << 16,
        // Without a maximum some grow to 4 GiB, here and in wasmi.
        memory_max_size_required: !seed.is_multiple_of(8),
        // wasmi 2.0.0 gets the guards wrong that would keep modules from trapping: of `i32.const 1`,
        // `local.get 0`, `local.get 0`, `i32.eqz`, `select` it makes 1 whatever the local is.
        disallow_traps: false,
        max_tables: 2,
        max_table_elements: 64,
        // Without a maximum some grow to 16 GB in wasmi.
        table_max_size_required: true,
        export_everything: true,
        canonicalize_nans: true,
        bulk_memory_enabled: true,
        multi_value_enabled: true,
        reference_types_enabled: true,
        saturating_float_to_int_enabled: true,
        sign_extension_ops_enabled: true,
        simd_enabled: false,
        relaxed_simd_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        exceptions_enabled: false,
        extended_const_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        custom_page_sizes_enabled: false,
        wide_arithmetic_enabled: false,
        shared_everything_threads_enabled: false,
        // A start function mostly traps, and then there is nothing to call.
        allow_start_export: seed.is_multiple_of(16),
        max_data_segments: 3,
        max_element_segments: 3,
        min_memories: 1,
        max_instructions: 400,
        ..Config::default()
    };
    let random = bytes(seed, 2000 + (seed as usize % 8) * 1000);
    let mut source = arbitrary::Unstructured::new(&random);
    let mut module = wasm_smith::Module::new(config, &mut source).ok()?;
    module.ensure_termination(20_000).ok()?;
    Some(determined::determined(&module.to_bytes()))
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
            match anywarp_wasm::translate(&wasm, &anywarp_wasm::Options::default()) {
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

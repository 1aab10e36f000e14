//! Random modules: what comes of them on the virtual machine is what comes of them in wasmi, and no
//! bytes make the translation panic.
//!
//! `ANYWARP_SEEDS` says how many modules to try instead of the usual number.

mod mutate;
mod oracle;

use wasm_smith::Config;

/// Modules that are tried where nobody says how many.
const SEEDS: u64 = 300;

fn seeds() -> u64 {
    let given = std::env::var("ANYWARP_SEEDS").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(SEEDS)
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
        max_tables: 2,
        max_table_elements: 64,
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
    Some(module.to_bytes())
}

#[test]
fn random_modules_behave_as_in_wasmi() {
    let mut calls = 0;
    let seeds = seeds();
    for seed in 0..seeds {
        if let Some(wasm) = module(seed) {
            calls += oracle::compare(seed, &wasm);
        }
    }
    assert!(calls as u64 > 2 * seeds, "only {calls} calls were compared");
}

#[test]
fn no_bytes_make_the_translation_panic() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..seeds() {
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

//! Random modules: from a seed or bytes to a valid module that terminates and has one correct
//! result.
//!
//! `tests/src/fuzz/wasm.rs` includes this file too.

use wasm_smith::Config;

/// A byte generator (SplitMix64), so that a seed always gives the same module.
pub(crate) fn bytes(seed: u64, count: usize) -> Vec<u8> {
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

/// The module that wasm-smith generates from bytes: every supported feature, no imports; endless
/// loops are ended by wasm-smith's fuel counter in the module. The seed selects some rare features.
pub(crate) fn module_of(seed: u64, choices: &[u8]) -> Option<Vec<u8>> {
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
        // A start function mostly traps, and then nothing can be called.
        allow_start_export: seed.is_multiple_of(16),
        max_data_segments: 3,
        max_element_segments: 3,
        min_memories: 1,
        max_instructions: 400,
        ..Config::default()
    };
    let mut source = arbitrary::Unstructured::new(choices);
    let mut module = wasm_smith::Module::new(config, &mut source).ok()?;
    module.ensure_termination(20_000).ok()?;
    Some(super::determined::determined(&module.to_bytes()))
}

//! Random modules: what is built does what the virtual machine does.

use wasmparser::ExternalKind;

use super::build;
use super::official::{STEPS, has_whole, memory};
use crate::compile::ir::evaluate::{End, Machine, evaluate};
use crate::compile::ir::verify;
use crate::compile::{CompileError, CompileOptions};
use crate::module::{Definitions, LinkedModule, decode};
use crate::{Engine, Module, Resources, ThreadEnd, TranslateOptions, TrapCode, Type, Value};

const SEEDS: u64 = 150;

/// A byte generator (SplitMix64).
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

/// A random module. Every second one may call through its table.
fn module_of(seed: u64) -> Option<Vec<u8>> {
    let config = wasm_smith::Config {
        min_funcs: 3,
        max_funcs: 8,
        min_exports: 3,
        max_imports: 0,
        max_memories: 1,
        max_memory32_bytes: 4 << 16,
        memory_max_size_required: true,
        max_tables: 1,
        max_table_elements: 16,
        table_max_size_required: true,
        canonicalize_nans: true,
        bulk_memory_enabled: false,
        multi_value_enabled: true,
        reference_types_enabled: false,
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
        allow_start_export: false,
        max_instructions: 300,
        ..wasm_smith::Config::default()
    };
    let choices = bytes(seed, 20_000);
    let mut source = arbitrary::Unstructured::new(&choices);
    let mut module = wasm_smith::Module::new(config, &mut source).ok()?;
    module.ensure_termination(5_000).ok()?;
    Some(module.to_bytes())
}

/// Arguments of some types.
fn arguments(types: &[Type], seed: u64) -> Vec<Value> {
    const NUMBERS: [u64; 6] = [0, 1, 7, 0x8000_0000, u64::MAX, 1 << 63];
    let choices = bytes(seed ^ 0x55, types.len());
    let values = types.iter().zip(choices).map(|(&ty, choice)| {
        let number = NUMBERS[usize::from(choice) % NUMBERS.len()];
        let bits = match ty {
            Type::I32 => number & 0xffff_ffff,
            Type::F32 => u64::from((f32::from(choice) * 1.5 - 64.0).to_bits()),
            _ => number,
        };
        Value::from_bits(ty, bits)
    });
    values.collect()
}

/// Compares the exported functions of a module; counts those that were.
fn compare(seed: u64, wasm: &[u8]) -> usize {
    let decoded = decode(wasm).unwrap();
    let mut definitions = Definitions::default();
    let linked = LinkedModule::link(&decoded, &mut definitions).unwrap();
    let options = TranslateOptions::default().allow_recursion(true);
    let Ok(module) = Module::with_options(&Engine::vm(), wasm, &options) else {
        return 0;
    };
    let mut compared = 0;
    for export in &decoded.exports {
        if !matches!(export.kind, ExternalKind::Func) {
            continue;
        }
        let built = build(
            &linked,
            &definitions,
            export.index,
            &CompileOptions::default(),
        );
        let ir = match built {
            Ok(ir) => ir,
            Err(CompileError::UnknownKernel { .. }) => panic!("{}", export.name),
            Err(_) => continue,
        };
        assert_eq!(verify(&ir), Ok(()), "seed {seed}\n{ir}");
        if ir.block_ids().any(|block| has_whole(&ir, block)) {
            continue;
        }
        let values = arguments(
            &super::kernel::signature(&linked, export.index).params,
            seed,
        );
        let mut machine = Machine {
            arguments: values.iter().map(|value| value.bits()).collect(),
            memory: memory(&linked, &definitions),
            ..Machine::default()
        };
        let found = evaluate(&ir, &mut machine, STEPS);
        let kernel = module.kernel(export.name).unwrap().args(values).unwrap();
        let outcome = kernel.run(&mut Resources::new()).unwrap();
        let expected = match &outcome.threads[0] {
            ThreadEnd::Done(values) => {
                End::Returned(values.iter().map(|value| value.bits()).collect())
            }
            ThreadEnd::Trapped(trap) => End::Trapped(trap.code, Vec::new()),
        };
        let is_equal = match (&found, &expected) {
            // What a function that never returns reports is found by running it.
            (End::Trapped(TrapCode::Unreachable, _), End::Trapped(..)) => true,
            (End::Trapped(found, _), End::Trapped(expected, _)) => found == expected,
            _ => found == expected,
        };
        assert!(
            is_equal,
            "seed {seed}, {}\n{ir}\n{found:?}, not {expected:?}",
            export.name
        );
        compared += 1;
    }
    compared
}

#[test]
fn built_functions_do_what_the_virtual_machine_does() {
    let seeds = std::env::var("ANYWARP_SEEDS").ok();
    let seeds = seeds.map_or(SEEDS, |seeds| seeds.parse().unwrap());
    let modules = (0..seeds).filter_map(|seed| Some((seed, module_of(seed)?)));
    let compared: usize = modules.map(|(seed, wasm)| compare(seed, &wasm)).sum();
    assert!(compared as u64 * 5 > seeds, "{compared} functions");
}

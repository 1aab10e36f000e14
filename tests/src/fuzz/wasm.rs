//! Fuzz target: any bytes as a WebAssembly module, which is translated, and its exports run with time limits.
//!
//! In: a module, or other bytes from which wasm-smith generates a valid module that terminates; the result of that
//! one must equal wasmi's (`crates/wasm/tests/random`). The bytecode must pass `verify`, and its file and its text
//! form must parse back to the same program.

#[path = "../../../crates/wasm/tests/random/comparable.rs"]
mod comparable;
#[path = "../../../crates/wasm/tests/random/determined.rs"]
mod determined;
#[path = "../../../crates/wasm/tests/random/generate.rs"]
mod generate;
#[path = "../../../crates/wasm/tests/random/mutate.rs"]
mod mutate;
#[path = "../../../crates/wasm/tests/random/oracle.rs"]
mod oracle;

use std::time::Duration;

use anywarp_wasm::bytecode::{Bytecode, assemble, disassemble, verify};
use anywarp_wasm::runtime::{Launch, MemoryMode, Resources, Value};
use anywarp_wasm::{TranslateOptions, translate, vm};

use super::corpus::corpus;
use super::stages::Stages;
use super::verdict::Verdict;
use anywarp_test_support::Random;

const MAGIC: &[u8] = b"\0asm";

/// The most exports of a module that are run.
const EXPORTS: usize = 3;

const RUN_LIMIT: Duration = Duration::from_millis(200);

/// Pages of one memory: 4 threads with private memories stay below the limit.
const MAX_PAGES: u32 = 1024;

pub(crate) fn body(input: &[u8], stages: &Stages) -> Verdict {
    if input.starts_with(MAGIC) {
        return module(input, stages);
    }
    let seed = super::targets::seed(input);
    let Some(wasm) = generate::module_of(seed | 1, input) else {
        return Verdict::Refused;
    };
    stages.run("compare with wasmi", || oracle::compare(seed, &wasm));
    module(&wasm, stages)
}

fn module(wasm: &[u8], stages: &Stages) -> Verdict {
    let options = TranslateOptions::default().allow_recursion(true);
    let translated = stages.run("translate", || translate(wasm, &options));
    let Ok(translation) = translated else {
        return Verdict::Refused;
    };
    let bytecode = translation.bytecode;
    if let Err(error) = stages.run("verify", || verify(&bytecode)) {
        return Verdict::wrong("verify", error.to_string());
    }
    if let Err(verdict) = round_trip(&bytecode, stages) {
        return verdict;
    }
    for export in bytecode.exports.iter().take(EXPORTS) {
        let types =
            &bytecode.types[bytecode.functions[export.function as usize].type_index as usize];
        let args = types.params.iter().map(|&ty| Value::from_bits(ty, 3));
        let launch = launch(export.name.clone(), args.collect());
        let options = vm::VmOptions::default()
            .watchdog(RUN_LIMIT)
            .limit(RUN_LIMIT);
        // Traps and rejections are fine.
        let _ = stages.run("run", || {
            vm::run_with(&bytecode, &launch, options, &mut Resources::default())
        });
    }
    Verdict::Accepted
}

fn launch(kernel: String, args: Vec<Value>) -> Launch {
    Launch {
        kernel,
        args,
        workgroups: [2, 1, 1],
        workgroup_size: [2, 1, 1],
        threads: None,
        memory: MemoryMode::Private,
        max_pages: MAX_PAGES,
        max_total_pages: 16 * MAX_PAGES,
        stack_slots: 1 << 16,
        fuel: None,
    }
}

fn round_trip(bytecode: &Bytecode, stages: &Stages) -> Result<(), Verdict> {
    let file = stages.run("file", || Bytecode::from_bytes(&bytecode.to_bytes()));
    match file {
        Ok(again) if again == *bytecode => {}
        Ok(_) => return Err(Verdict::wrong("file", "another program")),
        Err(error) => return Err(Verdict::wrong("file", error.to_string())),
    }
    let text = stages.run("text", || assemble(&disassemble(bytecode)));
    match text {
        Ok(again) if again == *bytecode => Ok(()),
        Ok(_) => Err(Verdict::wrong("text", "another program")),
        Err(error) => Err(Verdict::wrong("text", error.to_string())),
    }
}

pub(crate) fn generate(random: &mut Random) -> Vec<u8> {
    let bytes = generate::bytes(random.bits(), random.between(200, 4000));
    let module = match random.below(3) {
        0 => return bytes,
        1 => generate::module_of(1, &bytes),
        _ => Some(random.pick(&corpus().wasm).clone()),
    };
    let module = module.unwrap_or_else(|| MAGIC.to_vec());
    let changes = generate::bytes(random.bits(), 64);
    mutate::mutated(&module, &changes)
}

pub(crate) fn describe(input: &[u8]) -> String {
    let made = generate::module_of(super::targets::seed(input) | 1, input);
    let wasm = if input.starts_with(MAGIC) {
        Some(input.to_vec())
    } else {
        made
    };
    let translated = wasm.map(|wasm| translate(&wasm, &TranslateOptions::default()));
    match translated {
        None => "no module".to_owned(),
        Some(Ok(translation)) => disassemble(&translation.bytecode),
        Some(Err(error)) => error.to_string(),
    }
}

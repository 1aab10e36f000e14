//! Fuzz target: any bytes as a SPIR-V module, which is read and exercised as a program.
//!
//! In: bytes. Random inputs are valid modules with some words changed: those of `crates/spirv/tests/fuzz`, and
//! programs of this repository written as SPIR-V.

use anywarp_program::Program;
use anywarp_spirv::{SpirvOptions, write_spirv};

use super::corpus::corpus;
use super::exercise::{Results, exercise};
use super::mutate::mutate_words;
use super::stages::Stages;
use super::verdict::Verdict;
use anywarp_test_support::Random;

pub(crate) fn body(input: &[u8], stages: &Stages) -> Verdict {
    let read = stages.run("read", || anywarp_spirv::read(input, &Default::default()));
    let program = match read {
        Ok(reading) => reading.program,
        Err(error) => {
            let text = error.to_string();
            return if text.contains('\n') || text.contains("internal error") {
                Verdict::wrong("read", text)
            } else {
                Verdict::Refused
            };
        }
    };
    stages.run("disassemble", || {
        let words = anywarp_spirv::words(input);
        words
            .ok()
            .and_then(|words| anywarp_spirv::disassemble(&words).ok())
    });
    exercise(&program, Results::Open, stages)
}

pub(crate) fn generate(random: &mut Random) -> Vec<u8> {
    let corpus = corpus();
    let module = match random.below(2) {
        0 => random.pick(&corpus.spirv).clone(),
        _ => {
            written(random.pick::<Vec<u8>>(&corpus.wgsl)).unwrap_or_else(|| corpus.spirv[0].clone())
        }
    };
    if random.one_in(16) {
        module
    } else {
        mutate_words(random, &module)
    }
}

/// A program as SPIR-V, if it can be written.
fn written(wgsl: &[u8]) -> Option<Vec<u8>> {
    let program = Program::from_wgsl(&String::from_utf8_lossy(wgsl)).ok()?;
    let write = || write_spirv(&program, &SpirvOptions::default());
    // naga's writer panics on input that it does not support.
    let words = std::panic::catch_unwind(std::panic::AssertUnwindSafe(write)).ok()?;
    Some(
        words
            .ok()?
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect(),
    )
}

pub(crate) fn describe(input: &[u8]) -> String {
    let text = anywarp_spirv::words(input).map(|words| anywarp_spirv::disassemble(&words));
    match text {
        Ok(Ok(text)) => text,
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    }
}

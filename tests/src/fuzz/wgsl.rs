//! Fuzz target: any text as WGSL, which is read, inspected, compiled for every engine, run, and written in every
//! language.
//!
//! In: bytes. Random inputs are programs of this repository with random changes, and random sequences of tokens.

use super::corpus::corpus;
use super::exercise::{Results, exercise, read_wgsl};
use super::mutate::{mutate_text, token_soup};
use super::stages::Stages;
use super::verdict::Verdict;
use anywarp_test_support::Random;

pub(crate) fn body(input: &[u8], stages: &Stages) -> Verdict {
    let text = String::from_utf8_lossy(input);
    match read_wgsl(&text, stages) {
        Ok(program) => exercise(&program, Results::Open, stages),
        Err(verdict) => verdict,
    }
}

pub(crate) fn generate(random: &mut Random) -> Vec<u8> {
    let files = &corpus().wgsl;
    match random.below(8) {
        0 => token_soup(random, files),
        1 => random.pick(files).clone(),
        _ => mutate_text(random, files),
    }
}

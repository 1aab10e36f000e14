//! Fuzz tests of assembler and disassembler with random words and texts: no panic, no hang, and round trips are exact.

use std::time::{Duration, Instant};

use anywarp_spirv::{assemble, disassemble};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::assembly::tools::files;

/// Duration of the fuzz loops; `ANYWARP_FUZZ_SECONDS` overrides it.
fn time() -> Duration {
    let seconds = std::env::var("ANYWARP_FUZZ_SECONDS").ok();
    Duration::from_secs(seconds.and_then(|it| it.parse().ok()).unwrap_or(2))
}

/// Operands that are valid more often than random words are.
fn operand() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0..40_u32,
        1 => prop::sample::select(vec![8_u32, 16, 32, 64]),
        1 => (0..32_u32).prop_map(|bit| 1 << bit),
        1 => any::<u32>(),
        1 => Just(u32::from_le_bytes(*b"ab\"\\")),
        1 => Just(u32::from_le_bytes(*b"c\0\0\0")),
    ]
}

fn instruction() -> impl Strategy<Value = Vec<u32>> {
    let opcode = prop_oneof![
        8 => 0..420_u32,
        // Opcodes of numeric types, constants, switches, instruction set imports and extended instructions.
        8 => prop::sample::select(vec![21_u32, 22, 43, 50, 251, 11, 12, 52, 71]),
        1 => any::<u16>().prop_map(u32::from),
    ];
    let operands = prop::collection::vec(operand(), 0..8);
    (opcode, operands).prop_map(|(opcode, operands)| {
        let count = operands.len() as u32 + 1;
        std::iter::once(count << 16 | opcode)
            .chain(operands)
            .collect()
    })
}

#[test]
fn random_instructions_are_read_as_they_were_written() {
    let mut runner = TestRunner::new_with_rng(
        Config::with_cases(4000),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let modules = prop::collection::vec(instruction(), 0..12);
    let result = runner.run(&modules, |instructions| {
        let mut words = vec![0x0723_0203, 0x10400, 3, 1 << 20, 0];
        words.extend(instructions.concat());
        let text = disassemble(&words).expect("whole instructions");
        let again =
            assemble(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        // Ids may exceed the bound in the header, which is then raised.
        prop_assert_eq!(&again[5..], &words[5..], "{}", text);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// A linear congruential generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn broken_modules_are_text_or_an_error() {
    let modules: Vec<_> = files("spv")
        .iter()
        .map(|path| anywarp_spirv::words(&std::fs::read(path).unwrap()).unwrap())
        .collect();
    let (start, mut dice) = (Instant::now(), Dice(1));
    while start.elapsed() < time() {
        let mut words = modules[dice.below(modules.len())].clone();
        for _ in 0..=dice.below(4) {
            let at = dice.below(words.len());
            words[at] = match dice.below(3) {
                0 => words[at] ^ 1 << dice.below(32),
                1 => dice.below(600) as u32,
                _ => words[dice.below(words.len())],
            };
        }
        if let Ok(text) = disassemble(&words) {
            let again = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(again[5..], words[5..]);
        }
    }
}

#[test]
fn broken_texts_are_words_or_an_error() {
    let texts: Vec<_> = files("spvasm")
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let pieces = [
        "%", "!", "\"", "|", "=", ";", "\\", "-", "0x", "Op", "\n", "p+", "€", "!0x10000", "None",
    ];
    let (start, mut dice) = (Instant::now(), Dice(2));
    while start.elapsed() < time() {
        let mut text: Vec<char> = texts[dice.below(texts.len())].chars().collect();
        for _ in 0..=dice.below(5) {
            let (at, length) = (dice.below(text.len()), dice.below(9));
            let end = (at + length).min(text.len());
            match dice.below(3) {
                0 => drop(text.drain(at..end)),
                1 => {
                    let piece = pieces[dice.below(pieces.len())];
                    text.splice(at..at, piece.chars());
                }
                _ => {
                    let copy = text[at..end].to_vec();
                    let to = dice.below(text.len());
                    text.splice(to..to, copy);
                }
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(words) = assemble(&text) {
            // The first word of an instruction may claim any word count.
            let _ = disassemble(&words);
        }
    }
}

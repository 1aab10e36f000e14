//! Every scalar instruction, and masks as words.

use anywarp_codegen::{Target, compile};
use anywarp_lanes::ir::{MaskBinary, Op, Type, Value, WordBinary};
use anywarp_lanes::random::{WORD_BINARY, WORD_COMPARE};

use crate::kernel::{EDGES, Kernel, inputs};
use crate::ops::{Mask, memory};
use crate::run::{Equal, agree_with, targets};

/// A function of words: the results of subgroup `n` come from the words `n` of the columns.
fn try_words(target: Target, build: &dyn Fn(&mut Kernel, &[Value]) -> Value, operands: usize) {
    let mut columns = inputs(operands, 1);
    let subgroups = columns[0].len();
    columns[0].resize(subgroups, 0);
    let mut kernel = Kernel::new(target.lanes());
    let first = kernel.first();
    let words: Vec<_> = (0..operands)
        .map(|number| kernel.own_word(number as u32 + 1))
        .collect();
    let result = build(&mut kernel, &words);
    kernel.store_word(0, first, result);
    let function = kernel.finish();
    let mut memory = memory(&columns);
    memory.buffers[0] = vec![0; subgroups * target.lanes() as usize];
    let code = compile(&function, target).unwrap();
    agree_with(&function, &code, &memory, subgroups as u32, Equal::Bits);
}

#[test]
fn arithmetic_of_words() {
    for target in targets() {
        for op in WORD_BINARY {
            let op = *op;
            try_words(target, &|k, words| k.binary(op, words[0], words[1]), 2);
            try_words(target, &|k, words| k.binary(op, words[0], words[0]), 1);
            for constant in EDGES.iter().take(20) {
                try_words(
                    target,
                    &|k, words| {
                        let c = k.word(*constant);
                        k.binary(op, words[0], c)
                    },
                    1,
                );
                try_words(
                    target,
                    &|k, words| {
                        let c = k.word(*constant);
                        k.binary(op, c, words[0])
                    },
                    1,
                );
            }
            // Both operands are used again.
            let again = |k: &mut Kernel, words: &[Value]| {
                let result = k.binary(op, words[0], words[1]);
                let sum = k.binary(WordBinary::Xor, words[0], words[1]);
                let other = k.binary(op, words[1], words[0]);
                let sum = k.binary(WordBinary::Mul, sum, result);
                k.binary(WordBinary::Add, sum, other)
            };
            try_words(target, &again, 2);
        }
    }
}

#[test]
fn comparisons_of_words() {
    for target in targets() {
        for op in WORD_COMPARE {
            let op = Op::WordCompare(*op);
            let compare = |k: &mut Kernel, a: Value, b: Value| k.put(op, &[a, b], Type::Word);
            try_words(target, &|k, words| compare(k, words[0], words[1]), 2);
            for constant in [0, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] {
                try_words(
                    target,
                    &|k, words| {
                        let c = k.word(constant);
                        compare(k, words[0], c)
                    },
                    1,
                );
                try_words(
                    target,
                    &|k, words| {
                        let c = k.word(constant);
                        compare(k, c, words[0])
                    },
                    1,
                );
            }
            // As a condition, once alone and once also as a word.
            try_words(
                target,
                &|k, words| {
                    let condition = compare(k, words[0], words[1]);
                    k.put(Op::WordSelect, &[condition, words[1], words[0]], Type::Word)
                },
                2,
            );
            try_words(
                target,
                &|k, words| {
                    let condition = compare(k, words[0], words[1]);
                    let chosen =
                        k.put(Op::WordSelect, &[condition, words[1], words[0]], Type::Word);
                    k.binary(WordBinary::Add, chosen, condition)
                },
                2,
            );
        }
        try_words(
            target,
            &|k, words| k.put(Op::WordSelect, &[words[0], words[1], words[2]], Type::Word),
            3,
        );
    }
}

#[test]
fn masks_of_lanes() {
    for target in targets() {
        for op in [
            MaskBinary::And,
            MaskBinary::Or,
            MaskBinary::Xor,
            MaskBinary::AndNot,
        ] {
            try_words(
                target,
                &|k, words| {
                    let a = k.put(Op::FromBallot, &[words[0]], Type::Mask);
                    let b = k.put(Op::FromBallot, &[words[1]], Type::Mask);
                    let c = k.put(Op::MaskBinary(op), &[a, b], Type::Mask);
                    k.put(Op::Ballot, &[c], Type::Word)
                },
                2,
            );
        }
        for mask in [0, 1, 0x80, 0x5a, target.function_mask()] {
            try_words(
                target,
                &|k, words| {
                    let a = k.put(Op::FromBallot, &[words[0]], Type::Mask);
                    let b = k.put(Op::Mask(mask), &[], Type::Mask);
                    let c = k.put(Op::MaskBinary(MaskBinary::And), &[a, b], Type::Mask);
                    let any = k.put(Op::Any, &[c], Type::Word);
                    let ballot = k.put(Op::Ballot, &[c], Type::Word);
                    let eight = k.word(16);
                    let any = k.binary(WordBinary::Shl, any, eight);
                    k.binary(WordBinary::Or, any, ballot)
                },
                1,
            );
        }
    }
}

//! Fused multiply-add, in all forms (132, 213, 231).

use anywarp_codegen::Target;
use anywarp_lanes::ir::{LaneBinary, Op, Type, WordBinary};

use crate::kernel::{Kernel, inputs};
use crate::ops::{M, Mask, Place, R, masks, memory, try_lanes};
use crate::run::{Equal, agree, targets};

#[test]
fn fused_multiplications() {
    for target in targets() {
        let c = Place::Constant(0x3fc0_0000);
        for places in [
            [R, R, R],
            [R, R, M],
            [R, M, R],
            [M, R, R],
            [R, R, c],
            [R, c, R],
            [c, R, R],
            [c, c, R],
            [c, R, c],
            [R, c, c],
            [R, Place::Same(0), R],
            [R, R, Place::Same(0)],
            [R, Place::Same(0), Place::Same(0)],
        ] {
            try_lanes(target, Op::Fma, 3, false, &places);
        }
        for places in [
            [R, R, R, R],
            [R, R, R, Place::Same(0)],
            [R, Place::Same(0), R, R],
            [R, R, Place::Same(0), R],
            [R, Place::Same(0), R, c],
            [R, R, c, Place::Same(0)],
            [R, c, R, Place::Same(0)],
            [Place::Constant(0), R, R, R],
            [c, R, R, R],
            [R, R, c, R],
        ] {
            try_lanes(target, Op::MaskedFma, 4, true, &places);
        }
    }
}

/// Negations of operands are folded into the instruction, unless they have other uses.
#[test]
fn fused_multiplications_of_negated_operands() {
    for target in targets() {
        for signs in 0..8 {
            for (is_masked, is_used_again) in [(false, false), (false, true), (true, false)] {
                try_negated(target, signs, is_masked, is_used_again);
            }
        }
    }
}

fn try_negated(target: Target, signs: u32, is_masked: bool, is_used_again: bool) {
    let lanes = target.lanes() as usize;
    let mut columns = inputs(4, lanes);
    let subgroups = columns[0].len() / lanes;
    columns.push(masks(columns[0].len(), subgroups, target.function_mask()));
    let mut kernel = Kernel::new(target.lanes());
    let first = kernel.first();
    let old = kernel.row(4, first, true);
    let mask = kernel.own_mask(5);
    let xor = Op::Binary(LaneBinary::Int(WordBinary::Xor));
    let sign = kernel.splat(0x8000_0000);
    let [a, b, c] = [0, 1, 2].map(|index| {
        let value = kernel.row(index + 1, first, true);
        match signs >> index & 1 {
            0 => value,
            _ => kernel.put(xor, &[sign, value], Type::Lanes),
        }
    });
    let mut result = if is_masked {
        kernel.put(Op::MaskedFma, &[old, a, b, c, mask], Type::Lanes)
    } else {
        kernel.put(Op::Fma, &[a, b, c], Type::Lanes)
    };
    if is_used_again {
        let max = Op::Binary(LaneBinary::MaxF);
        for value in [a, b, c] {
            result = kernel.put(max, &[result, value], Type::Lanes);
        }
    }
    kernel.store(0, first, result);
    let function = kernel.finish();
    agree(
        &function,
        target,
        &memory(&columns),
        subgroups as u32,
        Equal::Floats,
    );
}

//! Gathers and scatters that test at run time whether their lanes are a row, or one word.

use anywarp_codegen::{Target, compile};
use anywarp_lanes::evaluate::Memory;
use anywarp_lanes::ir::{
    Function, LaneBinary, LaneCompare, Op, Space, Type, Value, WordBinary, WordCompare,
};

use crate::kernel::{Kernel, Random};
use crate::run::{Equal, agree_with, targets};

/// Words of the buffers.
const WORDS: u32 = 48;

/// Indices that count up, or are equal, or have a stride of 2, from word 0 of the immediate data on, except in the lanes
/// of word 2, which have word 3.
pub(crate) fn indices(kernel: &mut Kernel, told: Value) -> [Value; 3] {
    let [first, changed, other] =
        [0, 2, 3].map(|place| kernel.put(Op::LoadWord(place), &[told], Type::Word));
    let changed = kernel.put(Op::FromBallot, &[changed], Type::Mask);
    let other = kernel.put(Op::Broadcast, &[other], Type::Lanes);
    let first = kernel.put(Op::Broadcast, &[first], Type::Lanes);
    let lanes = kernel.function.lanes;
    [1, 0, 2].map(|stride| {
        let pattern: Vec<_> = (0..lanes).map(|lane| lane * stride).collect();
        let pattern = kernel.function.pattern(&pattern);
        let pattern = kernel.put(Op::Pattern(pattern), &[], Type::Lanes);
        let sum = Op::Binary(LaneBinary::Int(WordBinary::Add));
        let index = kernel.put(sum, &[first, pattern], Type::Lanes);
        kernel.put(Op::Select, &[changed, other, index], Type::Lanes)
    })
}

/// Gathers from buffer 0 and scatters to buffer 1 with each index, under the mask in word 1 of the immediate data.
fn kernel(lanes: u32, offset: i32) -> Function {
    let mut kernel = Kernel::new(lanes);
    let told = kernel.put(Op::Base(Space::Immediates), &[], Type::Pointer);
    let mask = kernel.put(Op::LoadWord(1), &[told], Type::Word);
    let mask = kernel.put(Op::FromBallot, &[mask], Type::Mask);
    let limit = kernel.splat(WORDS);
    let (from, to) = (kernel.buffer(0), kernel.buffer(1));
    let indices = indices(&mut kernel, told);
    for (place, index) in (0..).zip(indices) {
        let below = Op::MaskedCompare(LaneCompare::Int(WordCompare::LtU));
        let inside = kernel.put(below, &[index, limit, mask], Type::Mask);
        let values = kernel.put(Op::Gather(offset), &[from, index, inside], Type::Lanes);
        kernel.effect(Op::Scatter(offset), &[to, index, values, inside]);
        let row = kernel.word(place * lanes);
        kernel.store(2, row, values);
    }
    kernel.finish()
}

#[test]
fn tested_lanes_give_what_a_gather_gives() {
    for target in targets() {
        for offset in [0, 3] {
            let function = kernel(target.lanes(), offset);
            let code = compile(&function, target).unwrap();
            let mut random = Random::new(26);
            let small = -20..WORDS as i32 + 4;
            let large = [i32::MIN, i32::MAX - 7, i32::MAX, 0x4000_0000, -0x4000_0000];
            for first in small.chain(large) {
                for changed in changed_lanes(target, &mut random) {
                    for mask in [0, u32::MAX, 0x5555, 0xfffe, 0xff00, random.word(), !changed] {
                        let other = random.below(WORDS as usize) as u32;
                        let memory = Memory {
                            immediates: vec![first as u32, mask, changed, other],
                            buffers: vec![
                                (0..WORDS + 3).map(|word| 7 * word + 1).collect(),
                                vec![5; WORDS as usize + 3],
                                vec![9; 48],
                            ],
                            ..Memory::default()
                        };
                        agree_with(&function, &code, &memory, 1, Equal::Bits);
                    }
                }
            }
        }
    }
}

/// No lane, each lane, and some.
fn changed_lanes(target: Target, random: &mut Random) -> Vec<u32> {
    let each = (0..target.lanes()).map(|lane| 1 << lane);
    let some = (0..2).map(|_| random.word() & random.word());
    std::iter::once(0).chain(each).chain(some).collect()
}

/// The fast path is there: without it the tests above would prove nothing.
#[test]
fn the_code_has_rows() {
    for target in targets() {
        let code = compile(&kernel(target.lanes(), 0), target).unwrap();
        let text = code.disassembly();
        assert!(text.contains("gatherdps"), "{target}");
        let test = if target.lanes() == 16 {
            "kortest"
        } else {
            "vtestps"
        };
        assert!(text.matches(test).count() >= 4, "{target}: {text}");
    }
}

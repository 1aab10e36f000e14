//! Loads, stores, atomics, the frame, and the fields of the context.

use anywarp_codegen::{Target, compile};
use anywarp_lanes::evaluate::Memory;
use anywarp_lanes::ir::{
    AtomicOp, AtomicScope, CallOutcome, ContextField, Function, LaneBinary, LaneCompare, Op, Row,
    Space, Terminator, Type, Value, WordBinary, WordCompare,
};

use crate::kernel::{Kernel, PLAIN, Random};
use crate::run::{Equal, agree, targets};

/// Buffers of numbers that are all different.
fn buffers(lengths: &[usize]) -> Memory {
    let buffers = lengths.iter().enumerate();
    Memory {
        buffers: buffers
            .map(|(number, words)| {
                (0..*words as u32)
                    .map(|word| word * 7 + number as u32 * 1000 + 1)
                    .collect()
            })
            .collect(),
        workgroup: (0..64).map(|word| word + 5000).collect(),
        immediates: (0..8).map(|word| word + 6000).collect(),
        constants: (0..8).map(|word| word + 7000).collect(),
    }
}

/// Whether a word is a constant.
#[derive(Clone, Copy, Debug)]
enum Known {
    Constant,
    Told,
}

/// A constant word, or one that the code has to load from buffer 3.
fn word(kernel: &mut Kernel, word: u32, known: Known, words: &mut Vec<u32>) -> Value {
    match known {
        Known::Constant => kernel.word(word),
        Known::Told => {
            words.push(word);
            let base = kernel.buffer(3);
            kernel.put(Op::LoadWord(words.len() as i32 - 1), &[base], Type::Word)
        }
    }
}

#[test]
fn rows_with_and_without_limit_and_mask() {
    for target in targets() {
        for index in [
            0,
            1,
            5,
            20,
            31,
            32,
            33,
            40,
            47,
            48,
            100,
            0xffff_ffff,
            0xffff_fff8,
            0xffff_fff0,
            0x8000_0000,
            0x7fff_fff8,
        ] {
            for limit in [0, 1, 7, 8, 16, 32, 40, 48] {
                for known in [
                    (Known::Told, Known::Told),
                    (Known::Constant, Known::Told),
                    (Known::Told, Known::Constant),
                    (Known::Constant, Known::Constant),
                ] {
                    for mask in [None, Some(0), Some(0x5555), Some(0xffff), Some(0xfe)] {
                        try_rows(target, index, limit, known, mask);
                    }
                }
            }
        }
    }
}

fn try_rows(target: Target, index: u32, limit: u32, known: (Known, Known), mask: Option<u32>) {
    let mut memory = buffers(&[48, 48]);
    let mut words = Vec::new();
    let mut kernel = Kernel::new(target.lanes());
    let mask = mask.map(|mask| mask & kernel.function.all_lanes());
    let index = word(&mut kernel, index, known.0, &mut words);
    let limit = word(&mut kernel, limit, known.1, &mut words);
    let mask = mask.map(|mask| {
        let mask = word(&mut kernel, mask, known.0, &mut words);
        kernel.put(Op::FromBallot, &[mask], Type::Mask)
    });
    let row = Row {
        offset: 0,
        is_limited: true,
        is_masked: mask.is_some(),
    };
    let (from, to) = (kernel.buffer(0), kernel.buffer(1));
    let mut operands = vec![from, index, limit];
    operands.extend(mask);
    let values = kernel.put(Op::LoadRow(row), &operands, Type::Lanes);
    let mut operands = vec![to, index, values, limit];
    operands.extend(mask);
    kernel.effect(Op::StoreRow(row), &operands);
    let first = kernel.word(0);
    kernel.store(2, first, values);
    memory.buffers.push(vec![9; 16]);
    memory.buffers.push(words);
    agree(&kernel.finish(), target, &memory, 1, Equal::Bits);
}

/// Non-temporal stores store the same values, for large and small limits, and for aligned and unaligned rows.
#[test]
fn streamed_rows() {
    const LARGE: u32 = 1 << 24;
    let told = [
        (Known::Told, Known::Told),
        (Known::Told, Known::Constant),
        (Known::Constant, Known::Told),
        (Known::Constant, Known::Constant),
    ];
    for target in targets() {
        let small = (0..48).chain([u32::MAX, 1 << 31]).map(|index| (index, 48));
        let large = (0..48 - target.lanes()).map(|index| (index, LARGE));
        for (index, limit) in small.chain(large) {
            for known in told {
                let mut words = Vec::new();
                let mut kernel = Kernel::new(target.lanes());
                let index = word(&mut kernel, index, known.0, &mut words);
                let limit = word(&mut kernel, limit, known.1, &mut words);
                let values = kernel.splat(7);
                let to = kernel.buffer(0);
                kernel.effect(Op::StoreRowNonTemporal(0), &[to, index, values, limit]);
                let mut memory = buffers(&[48, 1, 1]);
                memory.buffers.push(words);
                agree(&kernel.finish(), target, &memory, 1, Equal::Bits);
            }
        }
    }
}

/// There is a non-temporal instruction only if the limit is not a small constant.
#[test]
fn streamed_rows_go_past_the_caches() {
    for target in targets() {
        for (limit, known, is_streamed) in [
            (48, Known::Told, true),
            (1 << 24, Known::Constant, true),
            (48, Known::Constant, false),
        ] {
            let mut words = Vec::new();
            let mut kernel = Kernel::new(target.lanes());
            let index = word(&mut kernel, 0, Known::Told, &mut words);
            let limit = word(&mut kernel, limit, known, &mut words);
            let (to, values) = (kernel.buffer(0), kernel.splat(7));
            kernel.effect(Op::StoreRowNonTemporal(0), &[to, index, values, limit]);
            let code = compile(&kernel.finish(), target).unwrap();
            assert_eq!(code.disassembly().contains("vmovntdq"), is_streamed);
        }
    }
}

/// A mask may disable lanes that would lie before the beginning.
#[test]
fn masked_rows_without_limit_may_begin_below_0() {
    for target in targets() {
        for known in [Known::Told, Known::Constant] {
            let mut words = Vec::new();
            let mut kernel = Kernel::new(target.lanes());
            let index = word(&mut kernel, -3i32 as u32, known, &mut words);
            let mask = word(&mut kernel, 0xf8, known, &mut words);
            let mask = kernel.put(Op::FromBallot, &[mask], Type::Mask);
            let row = Row {
                offset: 2,
                is_masked: true,
                ..PLAIN
            };
            let (from, to) = (kernel.buffer(0), kernel.buffer(1));
            let values = kernel.put(Op::LoadRow(row), &[from, index, mask], Type::Lanes);
            kernel.effect(Op::StoreRow(row), &[to, index, values, mask]);
            let mut memory = buffers(&[48, 48, 1]);
            memory.buffers.push(words);
            agree(&kernel.finish(), target, &memory, 1, Equal::Bits);
        }
    }
}

#[test]
fn words_addresses_and_broadcasts() {
    for target in targets() {
        for index in [0, 1, 46, 47, 48, 100, 0xffff_ffff] {
            for known in [Known::Told, Known::Constant] {
                let mut words = Vec::new();
                let mut kernel = Kernel::new(target.lanes());
                let first = kernel.word(0);
                let index = word(&mut kernel, index, known, &mut words);
                let base = kernel.buffer(0);
                let length = kernel.put(Op::Length(0), &[], Type::Word);
                let exists = kernel.put(
                    Op::WordCompare(WordCompare::LtU),
                    &[index, length],
                    Type::Word,
                );
                let at = kernel.put(Op::AdvanceOrZeros, &[base, index, exists], Type::Pointer);
                let splat = kernel.put(Op::LoadSplat(0), &[at], Type::Lanes);
                let word = kernel.put(Op::LoadWord(0), &[at], Type::Word);
                let word = kernel.put(Op::Broadcast, &[word], Type::Lanes);
                let sum = kernel.put(
                    Op::Binary(LaneBinary::Int(WordBinary::Mul)),
                    &[word, splat],
                    Type::Lanes,
                );
                kernel.store(1, first, sum);
                // The condition once more, as a word.
                let lanes = kernel.word(target.lanes());
                kernel.store_word(1, lanes, exists);
                let mut memory = buffers(&[48, 48, 1]);
                memory.buffers.push(words);
                agree(&kernel.finish(), target, &memory, 1, Equal::Bits);
            }
        }
    }
}

/// Loads that become operands must not pass a store.
#[test]
fn loads_stay_in_front_of_stores() {
    for target in targets() {
        let mut kernel = Kernel::new(target.lanes());
        let first = kernel.word(0);
        let a = kernel.row(0, first, false);
        let b = kernel.row(1, first, false);
        kernel.store(0, first, b);
        let c = kernel.row(0, first, false);
        let add = Op::Binary(LaneBinary::Int(WordBinary::Add));
        let sum = kernel.put(add, &[b, a], Type::Lanes);
        let sum = kernel.put(add, &[sum, c], Type::Lanes);
        kernel.store(1, first, sum);
        agree(
            &kernel.finish(),
            target,
            &buffers(&[48, 48]),
            1,
            Equal::Bits,
        );
    }
}

#[test]
fn what_the_run_is_told() {
    for target in targets() {
        let mut kernel = Kernel::new(target.lanes());
        let mut at = kernel.first();
        let lanes = kernel.word(target.lanes() * 2);
        let mut fields: Vec<_> = (0..3).map(ContextField::WorkgroupId).collect();
        fields.extend((0..3).map(ContextField::WorkgroupCount));
        fields.push(ContextField::Subgroup);
        for field in fields {
            let word = kernel.put(Op::ContextField(field), &[], Type::Word);
            kernel.store_word(0, at, word);
            at = kernel.binary(WordBinary::Add, at, lanes);
        }
        let length = kernel.put(Op::Length(1), &[], Type::Word);
        kernel.store_word(0, at, length);
        for space in [Space::Workgroup, Space::Immediates, Space::Constants] {
            at = kernel.binary(WordBinary::Add, at, lanes);
            let base = kernel.put(Op::Base(space), &[], Type::Pointer);
            let word = kernel.put(Op::LoadWord(3), &[base], Type::Word);
            kernel.store_word(0, at, word);
        }
        agree(
            &kernel.finish(),
            target,
            &buffers(&[16 * 24, 77]),
            2,
            Equal::Bits,
        );
    }
}

/// Indices with repetitions, masks of all kinds.
pub(crate) fn scattered(
    target: Target,
    seed: u64,
    build: impl Fn(&mut Kernel, Value, Value, [Value; 2], Value) -> Option<Value>,
) {
    scattered_as(Equal::Bits, target, seed, build);
}

fn scattered_as(
    equal: Equal,
    target: Target,
    seed: u64,
    build: impl Fn(&mut Kernel, Value, Value, [Value; 2], Value) -> Option<Value>,
) {
    let lanes = target.lanes() as usize;
    let mut random = Random::new(seed);
    let subgroups = 24;
    let indices = (0..subgroups * lanes).map(|_| random.word() % 20);
    let indices: Vec<_> = indices.collect();
    let values: Vec<_> = (0..subgroups * lanes).map(|_| random.value()).collect();
    let expected: Vec<_> = (0..subgroups * lanes)
        .map(|_| random.word() % 20 * 7 + 1)
        .collect();
    let masks: Vec<_> = (0..subgroups)
        .map(|lane| match lane % 4 {
            0 => 0,
            1 => u32::MAX,
            _ => random.word(),
        })
        .collect();
    let mut memory = buffers(&[24]);
    memory.buffers.extend([indices, values, expected, masks]);
    memory.buffers.push(vec![3; subgroups * lanes]);
    let mut kernel = Kernel::new(target.lanes());
    let first = kernel.first();
    let index = kernel.row(1, first, true);
    let values = kernel.row(2, first, true);
    let expected = kernel.row(3, first, true);
    let mask = kernel.own_mask(4);
    let base = kernel.buffer(0);
    if let Some(result) = build(&mut kernel, base, index, [values, expected], mask) {
        kernel.store(5, first, result);
    }
    agree(&kernel.finish(), target, &memory, subgroups as u32, equal);
}

#[test]
fn gathers_and_scatters() {
    for target in targets() {
        for offset in [0, 4] {
            scattered(target, 1, |kernel, base, index, _, mask| {
                Some(kernel.put(Op::Gather(offset), &[base, index, mask], Type::Lanes))
            });
            scattered(target, 2, |kernel, base, index, [values, _], mask| {
                kernel.effect(Op::Scatter(offset), &[base, index, values, mask]);
                None
            });
            scattered(target, 4, |kernel, base, index, [values, _], mask| {
                kernel.effect(Op::ScatterHalves(offset), &[base, index, values, mask]);
                None
            });
            // The operands have further uses.
            scattered(target, 3, |kernel, base, index, [values, _], mask| {
                let gathered = kernel.put(Op::Gather(offset), &[base, index, mask], Type::Lanes);
                kernel.effect(Op::Scatter(offset), &[base, index, values, mask]);
                let sum = kernel.put(Op::Select, &[mask, gathered, index], Type::Lanes);
                Some(sum)
            });
        }
    }
}

/// Coalesced gathers and scatters: indices that are a word plus a pattern, as arrays of vectors and tiles have them.
#[test]
fn gathers_and_scatters_in_a_known_way() {
    let patterns: [fn(u32) -> u32; 9] = [
        |lane| lane,
        |lane| lane * 2,
        |lane| lane * 3 + 1,
        |lane| lane * 4 + 3,
        |lane| lane * 7,
        |lane| lane % 8 + lane / 8 * 60,
        |lane| 40 - lane,
        |lane| (lane * 2).wrapping_sub(5),
        |lane| lane / 2 * 5,
    ];
    for target in targets() {
        for pattern in patterns {
            for mask in [0xffff, 0, 0x5a5a, 0xfffe, 0x7fff] {
                for start in [0, 5, 9] {
                    try_known_way(target, pattern, mask, start, false);
                    try_known_way(target, pattern, mask, start, true);
                }
            }
        }
    }
}

/// `is_used_again`: the indices are needed for something else, too.
fn try_known_way(
    target: Target,
    pattern: fn(u32) -> u32,
    mask: u32,
    start: u32,
    is_used_again: bool,
) {
    let mut words = Vec::new();
    let mut kernel = Kernel::new(target.lanes());
    let lanes = target.lanes();
    let start = word(&mut kernel, start, Known::Told, &mut words);
    let mask = word(&mut kernel, mask, Known::Told, &mut words);
    let mask = kernel.put(Op::FromBallot, &[mask], Type::Mask);
    let pattern: Vec<_> = (0..lanes).map(pattern).collect();
    let pattern = kernel.function.pattern(&pattern);
    let pattern = kernel.put(Op::Pattern(pattern), &[], Type::Lanes);
    let starts = kernel.put(Op::Broadcast, &[start], Type::Lanes);
    let add = Op::Binary(LaneBinary::Int(WordBinary::Add));
    let index = kernel.put(add, &[starts, pattern], Type::Lanes);
    // Lanes before the start of the buffer are inactive.
    let far = kernel.splat(200);
    let inside = Op::MaskedCompare(LaneCompare::Int(WordCompare::LtU));
    let near = if is_used_again {
        kernel.put(inside, &[index, far, mask], Type::Mask)
    } else {
        let again = kernel.put(add, &[pattern, starts], Type::Lanes);
        kernel.put(inside, &[again, far, mask], Type::Mask)
    };
    let (from, to) = (kernel.buffer(0), kernel.buffer(1));
    let values = kernel.put(Op::Gather(1), &[from, index, near], Type::Lanes);
    let other = kernel.put(Op::Gather(3), &[from, index, near], Type::Lanes);
    let sum = kernel.put(add, &[values, other], Type::Lanes);
    kernel.effect(Op::Scatter(2), &[to, index, sum, near]);
    let first = kernel.word(0);
    kernel.store(2, first, values);
    let mut memory = buffers(&[256, 256, 16]);
    memory.buffers.push(words);
    agree(&kernel.finish(), target, &memory, 1, Equal::Bits);
}

#[test]
fn atomics() {
    use AtomicOp as A;
    let ops = [
        A::Add,
        A::Sub,
        A::And,
        A::Or,
        A::Xor,
        A::MinU,
        A::MaxU,
        A::MinS,
        A::MaxS,
        A::Exchange,
    ];
    for target in targets() {
        for op in ops {
            for sharing in [AtomicScope::Thread, AtomicScope::Threads] {
                for is_wanted in [true, false] {
                    for is_constant in [true, false] {
                        scattered(target, 4, |kernel, base, index, [values, _], mask| {
                            let values = if is_constant {
                                kernel.splat(0xffff_fff3)
                            } else {
                                values
                            };
                            let operands = [base, index, values, mask];
                            let old =
                                kernel.put(Op::Atomic(op, sharing, 2), &operands, Type::Lanes);
                            is_wanted.then_some(old)
                        });
                    }
                }
            }
        }
    }
}

#[test]
fn atomic_sums_of_floats() {
    for target in targets() {
        for sharing in [AtomicScope::Thread, AtomicScope::Threads] {
            for (is_wanted, constant) in [
                (true, None),
                (false, None),
                (true, Some(0.1f32)),
                (false, Some(-2.5e30)),
            ] {
                scattered_as(
                    Equal::Floats,
                    target,
                    6,
                    |kernel, base, index, [values, _], mask| {
                        let values = constant.map_or(values, |value| kernel.splat(value.to_bits()));
                        let op = Op::Atomic(AtomicOp::AddF, sharing, 2);
                        let operands = [base, index, values, mask];
                        let old = kernel.put(op, &operands, Type::Lanes);
                        is_wanted.then_some(old)
                    },
                );
            }
        }
    }
}

#[test]
fn comparing_exchanges() {
    for target in targets() {
        for sharing in [AtomicScope::Thread, AtomicScope::Threads] {
            for is_wanted in [true, false] {
                scattered(
                    target,
                    5,
                    |kernel, base, index, [values, expected], mask| {
                        let operands = [base, index, expected, values, mask];
                        let op = Op::CompareExchange(sharing, 0);
                        let old = kernel.put(op, &operands, Type::Lanes);
                        is_wanted.then_some(old)
                    },
                );
            }
        }
    }
}

/// A value of each type is live across a barrier in the frame, and memory in the frame keeps its contents.
#[test]
fn barriers_and_the_frame() {
    for target in targets() {
        let function = across_a_barrier(target.lanes());
        agree(&function, target, &buffers(&[256, 64]), 3, Equal::Bits);
    }
}

fn across_a_barrier(lanes: u32) -> Function {
    let mut kernel = Kernel::new(lanes);
    kernel.function.frame_bytes = 512;
    kernel.function.barriers = 1;
    let [begin, go_on] = [kernel.function.add_block(), kernel.function.add_block()];
    kernel.end(Terminator::Resume(vec![begin, go_on]), begin);
    let first = kernel.first();
    let row = kernel.row(0, first, true);
    let own = kernel.put(Op::Base(Space::Frame(256)), &[], Type::Pointer);
    let zero = kernel.word(0);
    kernel.effect(Op::StoreRow(PLAIN), &[own, zero, row]);
    let base = kernel.buffer(1);
    let mask = kernel.own_mask(0);
    for (value, at) in [(first, 0), (base, 8), (row, 64), (mask, 128)] {
        kernel.effect(Op::FrameStore(at), &[value]);
    }
    kernel.end(Terminator::Return(CallOutcome(1)), go_on);
    let first = kernel.put(Op::FrameLoad(0), &[], Type::Word);
    let base = kernel.put(Op::FrameLoad(8), &[], Type::Pointer);
    let row = kernel.put(Op::FrameLoad(64), &[], Type::Lanes);
    let mask = kernel.put(Op::FrameLoad(128), &[], Type::Mask);
    let other = kernel.put(Op::LoadRow(PLAIN), &[base, first], Type::Lanes);
    let own = kernel.put(Op::Base(Space::Frame(256)), &[], Type::Pointer);
    let zero = kernel.word(0);
    let kept = kernel.put(Op::LoadRow(PLAIN), &[own, zero], Type::Lanes);
    let chosen = kernel.put(Op::Select, &[mask, other, row], Type::Lanes);
    kernel.store(1, first, chosen);
    let shift = kernel.word(100);
    let first = kernel.binary(WordBinary::Add, first, shift);
    kernel.store(0, first, kept);
    kernel.finish()
}

/// Values of each type in several parts of one frame.
#[test]
fn parts_of_the_frame() {
    for target in targets() {
        let function = in_parts(target.lanes());
        agree(&function, target, &buffers(&[256, 64]), 3, Equal::Bits);
    }
}

fn in_parts(lanes: u32) -> Function {
    let mut kernel = Kernel::new(lanes);
    kernel.function.frame_bytes = 3 * 192;
    let first = kernel.first();
    let row = kernel.row(0, first, true);
    let base = kernel.buffer(1);
    let mask = kernel.own_mask(0);
    let parts = [0, 192, 384].map(|bytes| kernel.word(bytes));
    let size = kernel.word(192);
    let subgroup = kernel.put(Op::ContextField(ContextField::Subgroup), &[], Type::Word);
    let own = kernel.binary(WordBinary::Mul, subgroup, size);
    for part in parts {
        let other = kernel.binary(WordBinary::Add, first, part);
        kernel.effect(Op::FrameStoreAt(0), &[part, other]);
    }
    for (value, at) in [(first, 0), (base, 8), (row, 64), (mask, 128)] {
        kernel.effect(Op::FrameStoreAt(at), &[own, value]);
    }
    let words = parts.map(|bytes| kernel.put(Op::FrameLoadAt(0), &[bytes], Type::Word));
    let base = kernel.put(Op::FrameLoadAt(8), &[own], Type::Pointer);
    let row = kernel.put(Op::FrameLoadAt(64), &[own], Type::Lanes);
    let mask = kernel.put(Op::FrameLoadAt(128), &[own], Type::Mask);
    let other = kernel.put(Op::LoadRow(PLAIN), &[base, first], Type::Lanes);
    let chosen = kernel.put(Op::Select, &[mask, other, row], Type::Lanes);
    let sum = kernel.binary(WordBinary::Add, words[0], words[1]);
    let sum = kernel.binary(WordBinary::Xor, sum, words[2]);
    let sum = kernel.put(Op::Broadcast, &[sum], Type::Lanes);
    kernel.store(1, first, chosen);
    let shift = kernel.word(100);
    let first = kernel.binary(WordBinary::Add, first, shift);
    kernel.store(0, first, sum);
    kernel.finish()
}

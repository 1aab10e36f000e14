//! The builder: folded instructions have the same results, and instructions that cannot be folded are unchanged.

use anywarp_lanes::build::Builder;
use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::{
    BlockId, ContextField, Function, LaneBinary, LaneCompare, MaskBinary, Op, Value, WordBinary,
    WordCompare,
};
use anywarp_lanes::random;

/// Rebuilds a function through the builder, instruction by instruction.
fn rebuilt(function: &Function) -> Function {
    let mut empty = Function::new(function.lanes);
    for pattern in &function.patterns {
        empty.pattern(pattern);
    }
    empty.frame_bytes = function.frame_bytes;
    empty.barriers = function.barriers;
    let mut b = Builder::new(empty);
    let mut values = vec![Value(0); function.types.len()];
    for (index, block) in function.blocks.iter().enumerate() {
        let id = if index == 0 {
            Function::ENTRY
        } else {
            b.add_block()
        };
        for parameter in &block.parameters {
            values[parameter.index()] = b.add_parameter(id, function.type_of(*parameter));
        }
    }
    for id in function.order() {
        b.switch_to(id);
        for inst in &function.block(id).insts {
            let operands: Vec<_> = inst
                .operands
                .iter()
                .map(|operand| values[operand.index()])
                .collect();
            match inst.result {
                Some(result) => values[result.index()] = b.inst(inst.op, &operands),
                None => b.effect(inst.op, &operands),
            }
        }
    }
    let mut result = b.finish();
    for index in 0..function.blocks.len() as u32 {
        let mut terminator = function.block(BlockId(index)).terminator.clone();
        terminator.map_uses(|value| values[value.index()]);
        result.block_mut(BlockId(index)).terminator = terminator;
    }
    result
}

fn run(function: &Function, seed: u64) -> Memory {
    let mut memory = random::memory(seed);
    let run = WorkgroupInputs {
        workgroup_id: [1, 2, 3],
        workgroup_count: [4, 5, 6],
        is_cancelled: false,
    };
    Evaluator::new(function)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"))
        .run_workgroup(&run, 2, &mut memory, &mut 1_000_000)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
    memory
}

#[test]
fn folding_changes_no_result() {
    let mut folded = 0;
    for seed in 0..400 {
        let lanes = if seed % 2 == 0 { 16 } else { 8 };
        let function = random::function(seed, lanes, 80);
        let built = rebuilt(&function);
        let count = |function: &Function| -> usize {
            function.blocks.iter().map(|block| block.insts.len()).sum()
        };
        folded += usize::from(count(&built) < count(&function));
        assert!(
            run(&function, seed) == run(&built, seed),
            "seed {seed}:\n{function}\n{built}"
        );
    }
    assert!(folded > 100, "only {folded} of 400 had anything to fold");
}

/// Values that are not constants: a word, lanes and a mask.
fn unknown(b: &mut Builder) -> (Value, Value, Value) {
    let word = b.field(ContextField::Subgroup);
    let lanes = b.broadcast(word);
    let mask = b.inst(Op::FromBallot, &[word]);
    (word, lanes, mask)
}

#[test]
fn neutral_operands_vanish() {
    let mut b = Builder::new(Function::new(8));
    let (word, lanes, mask) = unknown(&mut b);
    let (zero, one) = (b.word(0), b.word(1));
    assert_eq!(b.word_binary(WordBinary::Add, zero, word), word);
    assert_eq!(b.word_binary(WordBinary::Mul, word, one), word);
    assert_eq!(b.word_select(one, word, zero), word);
    let (none, minus_zero) = (b.splat(0), b.splat_f(-0.0));
    assert_eq!(b.binary(LaneBinary::AddF, lanes, minus_zero), lanes);
    assert_eq!(b.binary(LaneBinary::SubF, lanes, none), lanes);
    assert_eq!(b.select(mask, lanes, lanes), lanes);
    let (all, empty) = (b.mask(0xff), b.mask(0));
    assert_eq!(b.mask_binary(MaskBinary::And, all, mask), mask);
    assert_eq!(b.mask_binary(MaskBinary::Or, mask, empty), mask);
    assert_eq!(b.select(all, lanes, none), lanes);
    assert_eq!(b.select(empty, none, lanes), lanes);
}

#[test]
fn constants_are_computed() {
    let mut b = Builder::new(Function::new(8));
    let (x, y) = (b.splat(7), b.splat(3));
    let sum = b.int(WordBinary::Add, x, y);
    assert_eq!(b.constant(sum), Some(Op::Splat(10)));
    let less = b.compare(LaneCompare::Int(WordCompare::LtU), y, x);
    assert_eq!(b.constant(less), Some(Op::Mask(0xff)));
    let any = b.any(less);
    assert_eq!(b.constant(any), Some(Op::Word(1)));
    let spread = b.broadcast(any);
    assert_eq!(b.constant(spread), Some(Op::Splat(1)));
}

/// Operands that look neutral but are not: `-0 + 0` is `0`, and NaN times 0 is NaN.
#[test]
fn floats_are_not_simplified_like_numbers() {
    let mut b = Builder::new(Function::new(8));
    let (_, lanes, _) = unknown(&mut b);
    let zero = b.splat_f(0.0);
    assert_ne!(b.binary(LaneBinary::AddF, lanes, zero), lanes);
    let product = b.binary(LaneBinary::MulF, lanes, zero);
    assert_eq!(b.constant(product), None);
    let difference = b.binary(LaneBinary::SubF, lanes, lanes);
    assert_eq!(b.constant(difference), None);
}

#[test]
fn shifts_by_a_constant_are_cheaper() {
    let mut b = Builder::new(Function::new(8));
    let (_, lanes, _) = unknown(&mut b);
    let amount = b.splat(35);
    b.int(WordBinary::ShrS, lanes, amount);
    let last = b.function().blocks[0].insts.last().map(|inst| inst.op);
    assert_eq!(last, Some(Op::SarBy(3)));
}

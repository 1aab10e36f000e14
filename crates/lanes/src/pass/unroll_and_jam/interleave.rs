//! Interleaves the iterations of a counted loop.
//!
//! In: a function with a counted loop, the iterations to run together, and the values that vary between them. Out: the
//! same function, whose loop runs several iterations at once: each varying value has a copy for each of them, values
//! that do not vary are computed once. Iterations share branches: a branch on a varying mask is taken if any iteration
//! takes it.
//!
//! The caller has proved that the order of the instructions of different iterations does not matter, except within a
//! block whose copies follow each other ([`Interleaving::ByBlock`]). Branches on varying words cannot be shared. Time and
//! memory are linear in the size of the loop.

use smallvec::{SmallVec, smallvec};

use super::counted_loop::CountedLoop;
use crate::ir::{
    BlockId, Function, Inst, MaskBinary, Op, Terminator, Type, Value, WordBinary, WordCompare,
};
use crate::pass::hash::Map;

/// The order of the instructions of several iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Interleaving {
    /// Instruction by instruction.
    ByInstruction,
    /// Block by block: within a block the iterations follow each other, which needs fewer registers for temporaries.
    ByBlock,
}

/// The iterations that run together: `s`, `s + distance`, `s + 2 * distance` and so on.
#[derive(Clone, Copy, Debug)]
pub(in crate::pass) struct Iterations {
    /// Their number. With a distance other than 1 a power of two.
    pub(in crate::pass) count: u32,
    /// The distance between them, a power of two. Number times distance divides the trip count.
    pub(in crate::pass) distance: u32,
    pub(in crate::pass) interleaving: Interleaving,
}

/// Interleaves iterations of a loop.
pub(in crate::pass) fn run(
    function: &mut Function,
    counted: &CountedLoop,
    varying: &[bool],
    iterations: Iterations,
) {
    let mut interleaver = Interleaver::new(function, counted, varying, iterations);
    for &block in &counted.blocks {
        interleaver.add_copies(function, block);
    }
    for &block in &counted.blocks {
        interleaver.block(function, block);
    }
    if iterations.distance > 1 {
        interleaver.count_steps(function);
    }
}

struct Interleaver<'a> {
    counted: &'a CountedLoop,
    /// By value: whether it varies between iterations.
    varying: &'a [bool],
    /// For each iteration after the first: the counterparts of the values that it has for itself.
    copies: Vec<Copies>,
    iterations: Iterations,
}

/// The counterparts of values in another iteration.
#[derive(Default)]
struct Copies(Map<Value, Value>);

impl Copies {
    /// The counterpart of a value, which is itself if iterations share it.
    fn of(&self, value: Value) -> Value {
        self.0.get(&value).copied().unwrap_or(value)
    }
}

impl<'a> Interleaver<'a> {
    fn new(
        function: &mut Function,
        counted: &'a CountedLoop,
        varying: &'a [bool],
        iterations: Iterations,
    ) -> Self {
        let copies = (1..iterations.count).map(|_| {
            let mut copies = Copies::default();
            let counter = function.add_value(Type::Word);
            copies.0.insert(counted.counter, counter);
            copies
        });
        Self {
            counted,
            varying,
            copies: copies.collect(),
            iterations,
        }
    }

    fn is_duplicated(&self, value: Value) -> bool {
        value != self.counted.counter && self.varying[value.index()]
    }

    /// Adds the copies of the parameters and results of a block.
    fn add_copies(&mut self, function: &mut Function, block: BlockId) {
        let parameters = function.block(block).parameters.clone();
        for parameter in parameters {
            if self.is_duplicated(parameter) {
                let ty = function.type_of(parameter);
                for copies in &mut self.copies {
                    copies
                        .0
                        .insert(parameter, function.add_parameter(block, ty));
                }
            }
        }
        for place in 0..function.block(block).insts.len() {
            if let Some(result) = function.block(block).insts[place].result
                && self.is_duplicated(result)
            {
                let ty = function.type_of(result);
                for copies in &mut self.copies {
                    copies.0.insert(result, function.add_value(ty));
                }
            }
        }
    }

    fn block(&self, function: &mut Function, id: BlockId) {
        let insts = std::mem::take(&mut function.block_mut(id).insts);
        let mut interleaved = Vec::with_capacity((self.copies.len() + 1) * (insts.len() + 1));
        if id == self.counted.header {
            self.count(function, &mut interleaved);
        }
        let mut later = vec![Vec::new(); self.copies.len()];
        for mut inst in insts {
            let copies = self.copies_of(&inst);
            if inst.result == Some(self.counted.next) {
                let step = Op::Word(self.iterations.count);
                inst.operands[1] = constant(function, &mut interleaved, step);
            }
            interleaved.push(inst);
            match self.iterations.interleaving {
                Interleaving::ByInstruction => interleaved.extend(copies),
                Interleaving::ByBlock => {
                    for (copy, later) in copies.into_iter().zip(&mut later) {
                        later.push(copy);
                    }
                }
            }
        }
        interleaved.extend(later.into_iter().flatten());
        let mut terminator = function.block(id).terminator.clone();
        self.end(function, &mut interleaved, id, &mut terminator);
        let block = function.block_mut(id);
        block.insts = interleaved;
        block.terminator = terminator;
    }

    /// Computes the counters of the iterations after the first.
    fn count(&self, function: &mut Function, interleaved: &mut Vec<Inst>) {
        let counter = self.counted.counter;
        for (number, copies) in (1_u32..).zip(&self.copies) {
            let distance = Op::Word(number * self.iterations.distance);
            let distance = constant(function, interleaved, distance);
            interleaved.push(Inst {
                op: Op::WordBinary(WordBinary::Add),
                operands: smallvec![counter, distance],
                result: Some(copies.of(counter)),
            });
        }
    }

    /// Makes the loop count its steps: with a new parameter `n` in place of the counter `s`, which becomes
    /// `n / distance * distance * count + n % distance`.
    fn count_steps(&self, function: &mut Function) {
        let Iterations {
            count, distance, ..
        } = self.iterations;
        let (counter, header) = (self.counted.counter, self.counted.header);
        let steps = function.add_value(Type::Word);
        function.block_mut(header).parameters[0] = steps;
        let mut insts = Vec::new();
        let mut binary = |function: &mut Function, op, first, second: u32, result| {
            let second = constant(function, &mut insts, Op::Word(second));
            insts.push(Inst {
                op: Op::WordBinary(op),
                operands: smallvec![first, second],
                result: Some(result),
            });
        };
        let [group, first, within] = [(); 3].map(|()| function.add_value(Type::Word));
        let shift = distance.trailing_zeros();
        binary(function, WordBinary::ShrU, steps, shift, group);
        let factor = shift + count.trailing_zeros();
        binary(function, WordBinary::Shl, group, factor, first);
        binary(function, WordBinary::And, steps, distance - 1, within);
        insts.push(Inst {
            op: Op::WordBinary(WordBinary::Add),
            operands: smallvec![first, within],
            result: Some(counter),
        });
        insts.append(&mut function.block_mut(header).insts);
        function.block_mut(header).insts = insts;
        self.count_to(function, steps, self.counted.trip_count / count);
    }

    /// Replaces the exit test: the loop counts from 0 to a number with this parameter.
    fn count_to(&self, function: &mut Function, parameter: Value, limit: u32) {
        let mut insts = Vec::new();
        let [one, limit] = [1, limit].map(|word| constant(function, &mut insts, Op::Word(word)));
        let [next, continues] = [(); 2].map(|()| function.add_value(Type::Word));
        insts.push(Inst {
            op: Op::WordBinary(WordBinary::Add),
            operands: smallvec![parameter, one],
            result: Some(next),
        });
        insts.push(Inst {
            op: Op::WordCompare(WordCompare::LtU),
            operands: smallvec![next, limit],
            result: Some(continues),
        });
        let latch = function.block_mut(self.counted.latch);
        latch.insts.append(&mut insts);
        if let Terminator::Branch(condition, back, _) = &mut latch.terminator {
            *condition = continues;
            back.arguments[0] = next;
        }
    }

    /// The copies of an instruction for the iterations after the first; empty if they share it.
    fn copies_of(&self, inst: &Inst) -> SmallVec<[Inst; 3]> {
        let is_varying = inst.result.is_some_and(|result| self.is_duplicated(result));
        if !is_varying && (!inst.op.has_effect() || matches!(inst.op, Op::Poll(_))) {
            return SmallVec::new();
        }
        let copies = self.copies.iter().map(|copies| Inst {
            op: inst.op,
            operands: inst
                .operands
                .iter()
                .map(|operand| copies.of(*operand))
                .collect(),
            result: inst.result.map(|result| copies.of(result)),
        });
        copies.collect()
    }

    fn end(
        &self,
        function: &mut Function,
        interleaved: &mut Vec<Inst>,
        id: BlockId,
        terminator: &mut Terminator,
    ) {
        for edge in terminator.edges_mut() {
            if edge.block == self.counted.exit {
                continue;
            }
            let parameters = &function.block(edge.block).parameters;
            let arguments = edge.arguments.clone();
            for (&parameter, &argument) in parameters.iter().zip(&arguments) {
                if self.is_duplicated(parameter) {
                    let copies = self.copies.iter();
                    edge.arguments
                        .extend(copies.map(|copies| copies.of(argument)));
                }
            }
        }
        if let Terminator::Branch(condition, ..) = terminator
            && id != self.counted.latch
            && self.varying[condition.index()]
        {
            let first = *condition;
            for copies in &self.copies {
                let either = function.add_value(Type::Mask);
                interleaved.push(Inst {
                    op: Op::MaskBinary(MaskBinary::Or),
                    operands: smallvec![*condition, copies.of(first)],
                    result: Some(either),
                });
                *condition = either;
            }
        }
    }
}

fn constant(function: &mut Function, insts: &mut Vec<Inst>, op: Op) -> Value {
    let result = function.add_value(Type::Word);
    insts.push(Inst {
        op,
        operands: SmallVec::new(),
        result: Some(result),
    });
    result
}

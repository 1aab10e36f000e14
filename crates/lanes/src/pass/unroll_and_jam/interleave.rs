//! Interleaves the iterations of a counted loop.
//!
//! In: a function with a counted loop, the values that vary between its iterations, and the number of iterations to
//! run together. Out: the same function, whose loop takes that many steps at once: each varying value has a copy for
//! each iteration, values that do not vary are computed once. Iterations share branches: a branch on a varying mask is
//! taken if any iteration takes it.
//!
//! The caller has proved that the order of the instructions of different iterations does not matter, except within a
//! block whose copies follow each other ([`Interleaving::ByBlock`]). Branches on varying words cannot be shared.

use smallvec::{SmallVec, smallvec};

use super::counted_loop::CountedLoop;
use crate::ir::{BlockId, Function, Inst, MaskBinary, Op, Terminator, Type, Value, WordBinary};

/// The order of the instructions of several iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Interleaving {
    /// Instruction by instruction.
    ByInstruction,
    /// Block by block: within a block the iterations follow each other, which needs fewer registers for temporaries.
    ByBlock,
}

/// Interleaves this many iterations of a loop, a divisor of its trip count.
pub(in crate::pass) fn run(
    function: &mut Function,
    counted: &CountedLoop,
    varying: &[bool],
    (iterations, interleaving): (u32, Interleaving),
) {
    let mut interleaver = Interleaver::new(function, counted, varying, (iterations, interleaving));
    for &block in &counted.blocks {
        interleaver.add_copies(function, block);
    }
    for &block in &counted.blocks {
        interleaver.block(function, block);
    }
}

struct Interleaver<'a> {
    counted: &'a CountedLoop,
    /// By value: whether it varies between iterations.
    varying: &'a [bool],
    /// For each iteration after the first, by value: its counterpart.
    copies: Vec<Vec<Value>>,
    interleaving: Interleaving,
}

impl<'a> Interleaver<'a> {
    fn new(
        function: &mut Function,
        counted: &'a CountedLoop,
        varying: &'a [bool],
        (iterations, interleaving): (u32, Interleaving),
    ) -> Self {
        let own: Vec<_> = (0..function.types.len() as u32).map(Value).collect();
        let copies = (1..iterations).map(|_| {
            let mut names = own.clone();
            names[counted.counter.index()] = function.add_value(Type::Word);
            names
        });
        Self {
            counted,
            varying,
            copies: copies.collect(),
            interleaving,
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
                for names in &mut self.copies {
                    names[parameter.index()] = function.add_parameter(block, ty);
                }
            }
        }
        for place in 0..function.block(block).insts.len() {
            if let Some(result) = function.block(block).insts[place].result
                && self.is_duplicated(result)
            {
                let ty = function.type_of(result);
                for names in &mut self.copies {
                    names[result.index()] = function.add_value(ty);
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
                let step = Op::Word(self.copies.len() as u32 + 1);
                inst.operands[1] = constant(function, &mut interleaved, step);
            }
            interleaved.push(inst);
            match self.interleaving {
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
        for (number, names) in (1..).zip(&self.copies) {
            let distance = constant(function, interleaved, Op::Word(number));
            interleaved.push(Inst {
                op: Op::WordBinary(WordBinary::Add),
                operands: smallvec![counter, distance],
                result: Some(names[counter.index()]),
            });
        }
    }

    /// The copies of an instruction for the iterations after the first; empty if they share it.
    fn copies_of(&self, inst: &Inst) -> SmallVec<[Inst; 3]> {
        let is_varying = inst.result.is_some_and(|result| self.is_duplicated(result));
        if !is_varying && (!inst.op.has_effect() || matches!(inst.op, Op::Poll(_))) {
            return SmallVec::new();
        }
        let copies = self.copies.iter().map(|names| Inst {
            op: inst.op,
            operands: inst
                .operands
                .iter()
                .map(|operand| names[operand.index()])
                .collect(),
            result: inst.result.map(|result| names[result.index()]),
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
            if !self.counted.is_inside[edge.block.index()] {
                continue;
            }
            let parameters = &function.block(edge.block).parameters;
            let arguments = edge.arguments.clone();
            for (&parameter, &argument) in parameters.iter().zip(&arguments) {
                if self.is_duplicated(parameter) {
                    let copies = self.copies.iter();
                    edge.arguments
                        .extend(copies.map(|names| names[argument.index()]));
                }
            }
        }
        if let Terminator::Branch(condition, ..) = terminator
            && id != self.counted.latch
            && self.varying[condition.index()]
        {
            let first = *condition;
            for names in &self.copies {
                let either = function.add_value(Type::Mask);
                interleaved.push(Inst {
                    op: Op::MaskBinary(MaskBinary::Or),
                    operands: smallvec![*condition, names[first.index()]],
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

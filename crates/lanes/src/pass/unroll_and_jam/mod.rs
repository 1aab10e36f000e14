//! Unroll-and-jam of the loop over subgroups: interleaves two subgroups in one iteration.
//!
//! In: a function that loops over the subgroups of its workgroup, in the loop to which its entry block jumps. Out: the
//! same function, where an iteration of that loop runs two subgroups, if that is profitable: if an inner loop does not
//! access memory and is limited by the latency of its dependency chain (`critical_path`). A second independent chain
//! then costs almost nothing. Short inner loops are interleaved instruction by instruction, longer ones block by block,
//! to limit register pressure.
//!
//! Correct because lanes do not observe each other: branches on masks only skip code without effect, so that two
//! subgroups can share them; the branch is taken if either subgroup takes it. The values that vary between the two are
//! found first (`divergence`). Where a branch on a word varies, or frame memory is used, the function is not changed.

mod candidate;
mod critical_path;
mod divergence;

use smallvec::{SmallVec, smallvec};

use super::alias::BufferAliasing;
use crate::ir::{BlockId, Function, Inst, MaskBinary, Op, Terminator, Type, Value, WordBinary};

use candidate::{Order, Turns};

/// Runs the pass on a function that loops over this many subgroups.
pub fn run(function: &mut Function, subgroups: u32, aliasing: BufferAliasing) {
    let Some(turns) = candidate::turns(function, subgroups) else {
        return;
    };
    let Some(differs) = divergence::find(function, &turns, aliasing) else {
        return;
    };
    let Some(order) = candidate::order(function, &turns, &differs) else {
        return;
    };
    let mut doubler = Doubler::new(function, &turns, differs, order);
    for &block in &turns.blocks {
        doubler.add_parameters(function, block);
    }
    for &block in &turns.blocks {
        doubler.block(function, block);
    }
}

struct Doubler<'a> {
    turns: &'a Turns,
    /// By value: whether it varies between the two subgroups.
    differs: Vec<bool>,
    /// By value: its counterpart in the second subgroup.
    second: Vec<Value>,
    order: Order,
}

impl<'a> Doubler<'a> {
    fn new(function: &mut Function, turns: &'a Turns, differs: Vec<bool>, order: Order) -> Self {
        let mut second: Vec<_> = (0..function.types.len() as u32).map(Value).collect();
        second[turns.number.index()] = function.add_value(Type::Word);
        Self {
            turns,
            differs,
            second,
            order,
        }
    }

    fn is_doubled(&self, value: Value) -> bool {
        value != self.turns.number && self.differs[value.index()]
    }

    fn add_parameters(&mut self, function: &mut Function, block: BlockId) {
        for place in 0..function.block(block).parameters.len() {
            let parameter = function.block(block).parameters[place];
            if self.is_doubled(parameter) {
                let ty = function.type_of(parameter);
                self.second[parameter.index()] = function.add_parameter(block, ty);
            }
        }
        for place in 0..function.block(block).insts.len() {
            if let Some(result) = function.block(block).insts[place].result
                && self.is_doubled(result)
            {
                self.second[result.index()] = function.add_value(function.type_of(result));
            }
        }
    }

    fn block(&self, function: &mut Function, id: BlockId) {
        let insts = std::mem::take(&mut function.block_mut(id).insts);
        let mut doubled = Vec::with_capacity(2 * insts.len() + 2);
        if id == self.turns.header {
            let one = constant(function, &mut doubled, Op::Word(1));
            let number = self.turns.number;
            doubled.push(Inst {
                op: Op::WordBinary(WordBinary::Add),
                operands: smallvec![number, one],
                result: Some(self.second[number.index()]),
            });
        }
        let mut later = Vec::new();
        for inst in insts {
            let copy = self.inst(function, &mut doubled, inst);
            match self.order {
                Order::Mixed => doubled.extend(copy),
                Order::Blocks => later.extend(copy),
            }
        }
        doubled.append(&mut later);
        let mut terminator = function.block(id).terminator.clone();
        self.end(function, &mut doubled, id, &mut terminator);
        let block = function.block_mut(id);
        block.insts = doubled;
        block.terminator = terminator;
    }

    /// Appends an instruction. Returns its copy for the second subgroup, if it needs one.
    fn inst(
        &self,
        function: &mut Function,
        doubled: &mut Vec<Inst>,
        mut inst: Inst,
    ) -> Option<Inst> {
        let differs = inst.result.is_some_and(|it| self.is_doubled(it));
        let copy =
            (differs || inst.op.has_effect() && !matches!(inst.op, Op::Poll(_))).then(|| Inst {
                op: inst.op,
                operands: inst
                    .operands
                    .iter()
                    .map(|it| self.second[it.index()])
                    .collect(),
                result: inst.result.map(|it| self.second[it.index()]),
            });
        if inst.result == Some(self.turns.next) {
            inst.operands[1] = constant(function, doubled, Op::Word(2));
        }
        doubled.push(inst);
        copy
    }

    fn end(
        &self,
        function: &mut Function,
        doubled: &mut Vec<Inst>,
        id: BlockId,
        terminator: &mut Terminator,
    ) {
        for edge in terminator.edges_mut() {
            let parameters = &function.block(edge.block).parameters;
            let given = edge.arguments.clone();
            for (&parameter, &argument) in parameters.iter().zip(&given) {
                if self.is_in_turns(edge.block) && self.is_doubled(parameter) {
                    edge.arguments.push(self.second[argument.index()]);
                }
            }
        }
        if let Terminator::Branch(condition, ..) = terminator
            && id != self.turns.latch
            && self.differs[condition.index()]
        {
            let either = function.add_value(Type::Mask);
            doubled.push(Inst {
                op: Op::MaskBinary(MaskBinary::Or),
                operands: smallvec![*condition, self.second[condition.index()]],
                result: Some(either),
            });
            *condition = either;
        }
    }

    fn is_in_turns(&self, block: BlockId) -> bool {
        self.turns.is_inside[block.index()]
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

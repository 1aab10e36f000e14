//! Unroll-and-jam of the loop over subgroups: interleaves two subgroups in one iteration.
//!
//! In: a function that loops over the subgroups of its workgroup, in the loop to which its entry block jumps. Out: the
//! same function, where an iteration of that loop runs two subgroups, if that is profitable: if an inner loop loads only
//! what both share and is limited by the latency of its dependency chain (`critical_path`). A second independent chain
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

use candidate::{Interleaving, SubgroupLoop};

/// Runs the pass on a function that loops over this many subgroups.
pub fn run(function: &mut Function, subgroups: u32, aliasing: BufferAliasing) {
    let Some(subgroup_loop) = candidate::find_subgroup_loop(function, subgroups) else {
        return;
    };
    let Some(varying) = divergence::analyze(function, &subgroup_loop, aliasing) else {
        return;
    };
    let Some(interleaving) = candidate::interleaving(function, &subgroup_loop, &varying) else {
        return;
    };
    let mut interleaver = Interleaver::new(function, &subgroup_loop, varying, interleaving);
    for &block in &subgroup_loop.blocks {
        interleaver.add_parameters(function, block);
    }
    for &block in &subgroup_loop.blocks {
        interleaver.block(function, block);
    }
}

/// Interleaves the instructions of two subgroups.
struct Interleaver<'a> {
    subgroup_loop: &'a SubgroupLoop,
    /// By value: whether it varies between the two subgroups.
    varying: Vec<bool>,
    /// By value: its counterpart in the second subgroup.
    second: Vec<Value>,
    interleaving: Interleaving,
}

impl<'a> Interleaver<'a> {
    fn new(
        function: &mut Function,
        subgroup_loop: &'a SubgroupLoop,
        varying: Vec<bool>,
        interleaving: Interleaving,
    ) -> Self {
        let mut second: Vec<_> = (0..function.types.len() as u32).map(Value).collect();
        second[subgroup_loop.number.index()] = function.add_value(Type::Word);
        Self {
            subgroup_loop,
            varying,
            second,
            interleaving,
        }
    }

    fn is_duplicated(&self, value: Value) -> bool {
        value != self.subgroup_loop.number && self.varying[value.index()]
    }

    fn add_parameters(&mut self, function: &mut Function, block: BlockId) {
        for place in 0..function.block(block).parameters.len() {
            let parameter = function.block(block).parameters[place];
            if self.is_duplicated(parameter) {
                let ty = function.type_of(parameter);
                self.second[parameter.index()] = function.add_parameter(block, ty);
            }
        }
        for place in 0..function.block(block).insts.len() {
            if let Some(result) = function.block(block).insts[place].result
                && self.is_duplicated(result)
            {
                self.second[result.index()] = function.add_value(function.type_of(result));
            }
        }
    }

    fn block(&self, function: &mut Function, id: BlockId) {
        let insts = std::mem::take(&mut function.block_mut(id).insts);
        let mut interleaved = Vec::with_capacity(2 * insts.len() + 2);
        if id == self.subgroup_loop.header {
            let one = constant(function, &mut interleaved, Op::Word(1));
            let number = self.subgroup_loop.number;
            interleaved.push(Inst {
                op: Op::WordBinary(WordBinary::Add),
                operands: smallvec![number, one],
                result: Some(self.second[number.index()]),
            });
        }
        let mut second_half = Vec::new();
        for inst in insts {
            let copy = self.inst(function, &mut interleaved, inst);
            match self.interleaving {
                Interleaving::ByInstruction => interleaved.extend(copy),
                Interleaving::ByBlock => second_half.extend(copy),
            }
        }
        interleaved.append(&mut second_half);
        let mut terminator = function.block(id).terminator.clone();
        self.end(function, &mut interleaved, id, &mut terminator);
        let block = function.block_mut(id);
        block.insts = interleaved;
        block.terminator = terminator;
    }

    /// Appends an instruction. Returns its copy for the second subgroup, if it needs one.
    fn inst(
        &self,
        function: &mut Function,
        interleaved: &mut Vec<Inst>,
        mut inst: Inst,
    ) -> Option<Inst> {
        let is_varying = inst.result.is_some_and(|result| self.is_duplicated(result));
        let copy =
            (is_varying || inst.op.has_effect() && !matches!(inst.op, Op::Poll(_))).then(|| Inst {
                op: inst.op,
                operands: inst
                    .operands
                    .iter()
                    .map(|operand| self.second[operand.index()])
                    .collect(),
                result: inst.result.map(|result| self.second[result.index()]),
            });
        if inst.result == Some(self.subgroup_loop.next) {
            inst.operands[1] = constant(function, interleaved, Op::Word(2));
        }
        interleaved.push(inst);
        copy
    }

    fn end(
        &self,
        function: &mut Function,
        interleaved: &mut Vec<Inst>,
        id: BlockId,
        terminator: &mut Terminator,
    ) {
        for edge in terminator.edges_mut() {
            let parameters = &function.block(edge.block).parameters;
            let arguments = edge.arguments.clone();
            for (&parameter, &argument) in parameters.iter().zip(&arguments) {
                if self.is_in_loop(edge.block) && self.is_duplicated(parameter) {
                    edge.arguments.push(self.second[argument.index()]);
                }
            }
        }
        if let Terminator::Branch(condition, ..) = terminator
            && id != self.subgroup_loop.latch
            && self.varying[condition.index()]
        {
            let either = function.add_value(Type::Mask);
            interleaved.push(Inst {
                op: Op::MaskBinary(MaskBinary::Or),
                operands: smallvec![*condition, self.second[condition.index()]],
                result: Some(either),
            });
            *condition = either;
        }
    }

    fn is_in_loop(&self, block: BlockId) -> bool {
        self.subgroup_loop.is_inside[block.index()]
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

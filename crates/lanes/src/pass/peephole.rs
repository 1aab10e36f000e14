//! A peephole rewriter: applies rules to single instructions until none applies. Used by `fold`, `fuse`, `masks`,
//! `range_check_elimination` and `load_forwarding`.
//!
//! In: a function and rules. Out: the function with rewritten instructions. Blocks are visited in reverse postorder, so
//! that the definitions of operands have been rewritten before; use counts are kept up to date. Instructions without
//! uses are left for `dead_code`.

use smallvec::SmallVec;

use super::replace_uses::Replacements;
use crate::ir::{BlockId, Function, Inst, Kind, Op, Value};

/// The replacement of an instruction.
pub(super) enum Rewrite {
    /// An existing value.
    Value(Value),
    /// Another instruction.
    Inst(Op, SmallVec<[Value; 5]>),
    /// Removes the instruction: it has no effect.
    Nothing,
}

impl Rewrite {
    pub(super) fn inst(op: Op, operands: &[Value]) -> Option<Self> {
        Some(Self::Inst(op, SmallVec::from_slice(operands)))
    }
}

/// A set of rewrite rules.
pub(super) trait Rules {
    /// Visits the start of a block.
    fn begin(&mut self, _rewriter: &mut Rewriter, _block: BlockId) {}

    /// The replacement of an instruction, if a rule applies. Repeated application must terminate.
    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite>;

    /// Visits the end of a block; may change the terminator.
    fn end(&mut self, _rewriter: &mut Rewriter, _block: BlockId) {}
}

/// Applies rules to a function.
pub(super) fn run(function: &mut Function, rules: &mut impl Rules) {
    let mut names = Replacements::new(function);
    let mut rewriter = Rewriter {
        places: vec![None; function.types.len()],
        uses: count_uses(function),
        block: Function::ENTRY,
        insts: Vec::new(),
        function,
    };
    for block in rewriter.function.order() {
        rewriter.block(block, &mut names, rules);
    }
    names.apply(rewriter.function);
}

fn count_uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.types.len()];
    for block in &function.blocks {
        let operands = block
            .insts
            .iter()
            .flat_map(|inst| inst.operands.iter().copied());
        for value in operands.chain(block.terminator.uses()) {
            uses[value.index()] += 1;
        }
    }
    uses
}

/// A function that is being rewritten.
pub(super) struct Rewriter<'a> {
    pub(super) function: &'a mut Function,
    /// By value: the instruction that defines it, if it has been visited.
    places: Vec<Option<(BlockId, u32)>>,
    /// By value: its use count.
    uses: Vec<u32>,
    /// The current block, and its new instructions so far.
    block: BlockId,
    insts: Vec<Inst>,
}

/// The driver.
impl Rewriter<'_> {
    fn block(&mut self, id: BlockId, names: &mut Replacements, rules: &mut impl Rules) {
        rules.begin(self, id);
        let insts = std::mem::take(&mut self.function.block_mut(id).insts);
        self.block = id;
        self.insts = Vec::with_capacity(insts.len());
        for mut inst in insts {
            inst.operands
                .iter_mut()
                .for_each(|operand| *operand = names.find(*operand));
            self.inst(inst, names, rules);
        }
        self.function.block_mut(id).insts = std::mem::take(&mut self.insts);
        let terminator = &mut self.function.block_mut(id).terminator;
        terminator.map_uses(|value| names.find(value));
        rules.end(self, id);
    }

    fn inst(&mut self, mut inst: Inst, names: &mut Replacements, rules: &mut impl Rules) {
        while let Some(step) = rules.inst(self, &inst) {
            match step {
                Rewrite::Value(value) => {
                    if let Some(result) = inst.result {
                        names.put(result, value);
                        self.uses[value.index()] += self.uses[result.index()];
                    }
                    return self.release(&inst.operands);
                }
                Rewrite::Nothing => return self.release(&inst.operands),
                Rewrite::Inst(op, operands) => {
                    operands
                        .iter()
                        .for_each(|operand| self.uses[operand.index()] += 1);
                    self.release(&inst.operands);
                    inst.op = op;
                    inst.operands = operands;
                }
            }
        }
        self.push(inst);
    }

    fn push(&mut self, inst: Inst) {
        if let Some(result) = inst.result {
            self.places[result.index()] = Some((self.block, self.insts.len() as u32));
        }
        self.insts.push(inst);
    }

    /// Decrements the use counts of values. A value without uses releases its operands.
    fn release(&mut self, values: &[Value]) {
        let mut open: SmallVec<[Value; 8]> = SmallVec::from_slice(values);
        while let Some(value) = open.pop() {
            let uses = &mut self.uses[value.index()];
            *uses = uses.saturating_sub(1);
            if *uses == 0
                && let Some(inst) = self.definition(value)
                && !inst.op.has_effect()
            {
                open.extend_from_slice(&inst.operands.clone());
            }
        }
    }
}

/// Queries and insertions for rules.
impl Rewriter<'_> {
    /// Inserts a constant before the current instruction.
    pub(super) fn make(&mut self, op: Op) -> Option<Value> {
        self.make_inst(op, &[])
    }

    /// Inserts an instruction before the current one.
    pub(super) fn make_inst(&mut self, op: Op, operands: &[Value]) -> Option<Value> {
        let Some(Kind::Of(ty)) = op.signature().result else {
            return None;
        };
        let value = self.function.add_value(ty);
        self.places.push(None);
        self.uses.push(0);
        operands
            .iter()
            .for_each(|operand| self.uses[operand.index()] += 1);
        self.push(Inst {
            op,
            operands: SmallVec::from_slice(operands),
            result: Some(value),
        });
        Some(value)
    }

    /// The instruction that defines a value, if it has been visited.
    pub(super) fn definition(&self, value: Value) -> Option<&Inst> {
        let (block, place) = self.places[value.index()]?;
        if block == self.block && !self.insts.is_empty() {
            Some(&self.insts[place as usize])
        } else {
            Some(&self.function.block(block).insts[place as usize])
        }
    }

    /// The operation and the operands of the instruction that defines a value.
    pub(super) fn parts(&self, value: Value) -> Option<(Op, &[Value])> {
        let inst = self.definition(value)?;
        Some((inst.op, &inst.operands))
    }

    /// The same, if the value has a single use and is defined in the current block: it can be fused into the current
    /// instruction.
    pub(super) fn absorbed(&self, value: Value) -> Option<(Op, &[Value])> {
        let (block, _) = self.places[value.index()]?;
        let is_here = block == self.block && self.uses[value.index()] == 1;
        is_here.then(|| self.parts(value))?
    }

    /// Whether a value is defined in the current block, with no side effects since.
    pub(super) fn is_undisturbed(&self, value: Value) -> bool {
        /// The most instructions that are searched, so that the time is linear.
        const MAX_SEARCHED: usize = 32;
        let Some((block, place)) = self.places[value.index()] else {
            return false;
        };
        let since = &self.insts[(place as usize).min(self.insts.len())..];
        let is_near = block == self.block && since.len() <= MAX_SEARCHED;
        is_near && !since.iter().any(|inst| inst.op.has_effect())
    }

    /// The operation that defines a value, if it is a constant.
    pub(super) fn constant(&self, value: Value) -> Option<Op> {
        let op = self.definition(value)?.op;
        op.is_cheap().then_some(op)
    }

    /// The bits of a constant word, or of a uniform constant vector.
    pub(super) fn bits(&self, value: Value) -> Option<u32> {
        match self.constant(value)? {
            Op::Word(bits) | Op::Splat(bits) => Some(bits),
            _ => None,
        }
    }

    /// The bits of a constant mask.
    pub(super) fn mask(&self, value: Value) -> Option<u32> {
        match self.constant(value)? {
            Op::Mask(bits) => Some(bits),
            _ => None,
        }
    }

    /// Whether a value is the mask of all lanes.
    pub(super) fn is_all(&self, value: Value) -> bool {
        self.mask(value) == Some(self.function.all_lanes())
    }
}

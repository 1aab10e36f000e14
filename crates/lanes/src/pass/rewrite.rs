//! Rules on single instructions, applied until none applies: what `fold`, `fuse` and `masks` have in common.
//!
//! In: a function and rules. Out: the function, where instructions have been replaced. Blocks are visited so that what an
//! operand is made of has been rewritten before; how often each value is used is kept right on the way. What became
//! unused is left for `dead_code`.

use smallvec::SmallVec;

use super::replace::Replacements;
use crate::ir::{BlockId, Function, Inst, Kind, Op, Value};

/// What takes the place of an instruction.
pub(super) enum Step {
    /// A value that is there already.
    Value(Value),
    /// Another instruction.
    Inst(Op, SmallVec<[Value; 5]>),
    /// Nothing: it has no effect.
    Nothing,
}

impl Step {
    pub(super) fn inst(op: Op, operands: &[Value]) -> Option<Self> {
        Some(Self::Inst(op, SmallVec::from_slice(operands)))
    }
}

/// What is applied.
pub(super) trait Rules {
    /// Looks at a block before its instructions.
    fn begin(&mut self, _rewriter: &mut Rewriter, _block: BlockId) {}

    /// What takes the place of an instruction, if a rule applies. Must come to an end.
    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Step>;

    /// Changes the end of a block.
    fn end(&mut self, _rewriter: &mut Rewriter, _block: BlockId) {}
}

/// Applies rules.
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
            .flat_map(|it| it.operands.iter().copied());
        for value in operands.chain(block.terminator.uses()) {
            uses[value.index()] += 1;
        }
    }
    uses
}

/// A function that is being rewritten.
pub(super) struct Rewriter<'a> {
    pub(super) function: &'a mut Function,
    /// By value: the instruction that defines it, as far as it has been visited.
    places: Vec<Option<(BlockId, u32)>>,
    /// By value: how often it is used.
    uses: Vec<u32>,
    /// The block that is being visited, and its instructions as they will be.
    block: BlockId,
    insts: Vec<Inst>,
}

/// Going over the function.
impl Rewriter<'_> {
    fn block(&mut self, id: BlockId, names: &mut Replacements, rules: &mut impl Rules) {
        rules.begin(self, id);
        let insts = std::mem::take(&mut self.function.block_mut(id).insts);
        self.block = id;
        self.insts = Vec::with_capacity(insts.len());
        for mut inst in insts {
            inst.operands
                .iter_mut()
                .for_each(|it| *it = names.find(*it));
            self.inst(inst, names, rules);
        }
        self.function.block_mut(id).insts = std::mem::take(&mut self.insts);
        let terminator = &mut self.function.block_mut(id).terminator;
        terminator.map_uses(|it| names.find(it));
        rules.end(self, id);
    }

    fn inst(&mut self, mut inst: Inst, names: &mut Replacements, rules: &mut impl Rules) {
        while let Some(step) = rules.inst(self, &inst) {
            match step {
                Step::Value(value) => {
                    if let Some(result) = inst.result {
                        names.put(result, value);
                        self.uses[value.index()] += self.uses[result.index()];
                    }
                    return self.release(&inst.operands);
                }
                Step::Nothing => return self.release(&inst.operands),
                Step::Inst(op, operands) => {
                    operands.iter().for_each(|it| self.uses[it.index()] += 1);
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

    /// Some values have one use less. What is used no more does not use anything either.
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

/// What rules ask for.
impl Rewriter<'_> {
    /// A constant that is made before the instruction in hand.
    pub(super) fn make(&mut self, op: Op) -> Option<Value> {
        self.make_inst(op, &[])
    }

    /// An instruction that is put before the one in hand.
    pub(super) fn make_inst(&mut self, op: Op, operands: &[Value]) -> Option<Value> {
        let Some(Kind::Of(ty)) = op.signature().result else {
            return None;
        };
        let value = self.function.add_value(ty);
        self.places.push(None);
        self.uses.push(0);
        operands.iter().for_each(|it| self.uses[it.index()] += 1);
        self.push(Inst {
            op,
            operands: SmallVec::from_slice(operands),
            result: Some(value),
        });
        Some(value)
    }

    /// The instruction that defines a value, as far as one is known.
    pub(super) fn definition(&self, value: Value) -> Option<&Inst> {
        let (block, place) = self.places[value.index()]?;
        if block == self.block && !self.insts.is_empty() {
            Some(&self.insts[place as usize])
        } else {
            Some(&self.function.block(block).insts[place as usize])
        }
    }

    /// The operation and the operands that define a value.
    pub(super) fn parts(&self, value: Value) -> Option<(Op, &[Value])> {
        let inst = self.definition(value)?;
        Some((inst.op, &inst.operands))
    }

    /// The same, of a value that is used once and defined in the block of the instruction in hand: it can be taken into
    /// that one.
    pub(super) fn absorbed(&self, value: Value) -> Option<(Op, &[Value])> {
        let (block, _) = self.places[value.index()]?;
        let is_here = block == self.block && self.uses[value.index()] == 1;
        is_here.then(|| self.parts(value))?
    }

    /// Whether a value is defined in the block of the instruction in hand, and nothing has had an effect since.
    pub(super) fn is_undisturbed(&self, value: Value) -> bool {
        /// Further than this is not looked, so that the time stays linear.
        const FAR: usize = 32;
        let Some((block, place)) = self.places[value.index()] else {
            return false;
        };
        let since = &self.insts[(place as usize).min(self.insts.len())..];
        let is_near = block == self.block && since.len() <= FAR;
        is_near && !since.iter().any(|it| it.op.has_effect())
    }

    /// The constant without operands that a value is.
    pub(super) fn constant(&self, value: Value) -> Option<Op> {
        let op = self.definition(value)?.op;
        op.is_cheap().then_some(op)
    }

    /// The bits of a constant word, or of a constant that is the same in every lane.
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

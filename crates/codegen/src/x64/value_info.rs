//! Values that are folded into their uses: constants, comparisons, loads and addresses.
//!
//! In: a function. Out: [`ValueInfo`], the definition and the number of uses of each value, and whether it is *folded*.
//! A folded value gets no register at its definition. Each use rematerializes it (constants) or has it as a part of its
//! own instruction: a comparison before a branch, a memory operand, an address. What always holds: a load is folded
//! only into its single use, in the same block, with no store between them.

use anywarp_lanes::ir::{Block, Function, Inst, LaneBinary, Op, Terminator, Value, WordBinary};

use super::coalesce::coalesce;
use super::vector::Folding;

/// The definition, uses and folding of each value.
#[derive(Debug)]
pub(crate) struct ValueInfo<'f> {
    function: &'f Function,
    definitions: Vec<Option<&'f Inst>>,
    use_counts: Vec<u32>,
    folded: Vec<bool>,
}

/// A definition in the current block.
#[derive(Clone, Copy, Default)]
struct LocalDefinition {
    /// The block's number plus one; 0 for none.
    block: u32,
    /// The number of instructions before it in the block that write memory.
    epoch: u32,
    /// The number of uses that can fold it.
    foldable_uses: u32,
}

impl<'f> ValueInfo<'f> {
    pub(crate) fn new(function: &'f Function, folding: Folding) -> Self {
        let mut values = Self {
            function,
            definitions: vec![None; function.types.len()],
            use_counts: vec![0; function.types.len()],
            folded: vec![false; function.types.len()],
        };
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if let Some(result) = inst.result {
                values.definitions[result.index()] = Some(inst);
                values.folded[result.index()] = is_constant(inst.op);
            }
            for operand in &inst.operands {
                values.use_counts[operand.index()] += 1;
            }
        }
        for operand in function
            .blocks
            .iter()
            .flat_map(|block| block.terminator.uses())
        {
            values.use_counts[operand.index()] += 1;
        }
        let mut locals = vec![LocalDefinition::default(); function.types.len()];
        for (number, block) in function.blocks.iter().enumerate() {
            values.find_folded(block, number as u32 + 1, folding, &mut locals);
        }
        values
    }

    /// The instruction that defines a value; `None` for parameters.
    pub(crate) fn definition(&self, value: Value) -> Option<&'f Inst> {
        self.definitions[value.index()]
    }

    /// The number of uses of a value.
    pub(crate) fn use_count(&self, value: Value) -> u32 {
        self.use_counts[value.index()]
    }

    /// Whether a value is folded into its uses.
    pub(crate) fn is_folded(&self, value: Value) -> bool {
        self.folded[value.index()]
    }

    /// The constant of a word, if it is one.
    pub(crate) fn word(&self, value: Value) -> Option<u32> {
        match self.definition(value)?.op {
            Op::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The constant of all lanes, if the value is a splat.
    pub(crate) fn splat(&self, value: Value) -> Option<u32> {
        match self.definition(value)?.op {
            Op::Splat(word) => Some(word),
            _ => None,
        }
    }

    /// The operand of a float negation, if the value is one (an exclusive or with the sign bit).
    pub(crate) fn negated(&self, value: Value) -> Option<Value> {
        const SIGN: u32 = 0x8000_0000;
        let inst = self.definition(value)?;
        let Op::Binary(LaneBinary::Int(WordBinary::Xor)) = inst.op else {
            return None;
        };
        let [a, b] = [inst.operands[0], inst.operands[1]];
        match (self.splat(a), self.splat(b)) {
            (_, Some(SIGN)) => Some(a),
            (Some(SIGN), _) => Some(b),
            _ => None,
        }
    }

    /// Whether a value is a constant vector.
    pub(crate) fn is_constant(&self, value: Value) -> bool {
        self.definition(value)
            .is_some_and(|inst| is_constant(inst.op))
    }

    /// Marks the values of a block that are folded into their uses.
    fn find_folded(
        &mut self,
        block: &Block,
        number: u32,
        folding: Folding,
        locals: &mut [LocalDefinition],
    ) {
        let mut epoch = 0;
        for inst in &block.insts {
            self.fold_operands(inst, number, epoch, folding, locals);
            if writes_memory(inst.op) {
                epoch += 1;
            }
            if let Some(result) = inst.result {
                locals[result.index()] = LocalDefinition {
                    block: number,
                    epoch,
                    foldable_uses: 0,
                };
            }
        }
        if let Terminator::Branch(condition, ..) = &block.terminator {
            self.fold_condition(*condition, number, locals);
        }
    }

    fn fold_operands(
        &mut self,
        inst: &Inst,
        number: u32,
        epoch: u32,
        folding: Folding,
        locals: &mut [LocalDefinition],
    ) {
        let operands = &inst.operands;
        let factors = match inst.op {
            Op::Fma => &operands[..3],
            Op::MaskedFma => &operands[1..4],
            _ => &[],
        };
        for value in factors {
            if self.negated(*value).is_some() {
                self.fold(*value, number, locals);
            }
        }
        match inst.op {
            Op::AdvanceOrZeros => self.fold_condition(operands[2], number, locals),
            Op::WordSelect => self.fold_condition(operands[0], number, locals),
            Op::LoadWord(_) | Op::LoadPointer(_) | Op::LoadSplat(_) => {
                self.fold_address(operands[0], number, locals);
            }
            Op::LoadRow(_) | Op::StoreRow(_) | Op::StoreRowNonTemporal(_)
                if self.word(operands[1]).is_some() =>
            {
                self.fold_address(operands[0], number, locals);
            }
            // Coalesced gathers and scatters need no index vector.
            Op::Gather(offset) | Op::Scatter(offset) if folding.coalesces => {
                if coalesce(self.function, self, operands[1], offset).is_some() {
                    self.fold(operands[1], number, locals);
                }
            }
            op => {
                let [first, second] = memory_positions(op);
                // One operand can be in memory. If one is a constant, that one is.
                let is_memory =
                    |at: Option<usize>| at.is_some_and(|at| self.is_constant(operands[at]));
                if is_memory(first) || is_memory(second) {
                    return;
                }
                let mut positions = first.into_iter().chain(second);
                if let Some(at) = positions
                    .find(|at| self.can_fold_load(operands[*at], number, epoch, folding, locals))
                {
                    self.folded[operands[at].index()] = true;
                }
            }
        }
    }

    fn can_fold_load(
        &self,
        value: Value,
        number: u32,
        epoch: u32,
        folding: Folding,
        locals: &[LocalDefinition],
    ) -> bool {
        let local = locals[value.index()];
        let is_near = local.block == number && local.epoch == epoch;
        let is_load = self.definition(value).is_some_and(|inst| match inst.op {
            Op::LoadRow(row) => !row.is_limited && !row.is_masked,
            Op::LoadSplat(_) => folding.broadcasts,
            _ => false,
        });
        is_near && is_load && self.use_count(value) == 1
    }

    fn fold_condition(&mut self, value: Value, number: u32, locals: &mut [LocalDefinition]) {
        let is_test = |inst: &&Inst| matches!(inst.op, Op::WordCompare(_) | Op::Any);
        let Some(inst) = self.definition(value).filter(is_test) else {
            return;
        };
        // Across blocks only if this does not lengthen two live ranges instead of one.
        let is_small = inst
            .operands
            .iter()
            .any(|operand| self.word(*operand).is_some());
        if is_small && self.use_count(value) == 1 {
            self.folded[value.index()] = true;
        }
        self.fold(value, number, locals);
    }

    fn fold_address(&mut self, value: Value, number: u32, locals: &mut [LocalDefinition]) {
        if self
            .definition(value)
            .is_some_and(|inst| inst.op == Op::Advance)
        {
            self.fold(value, number, locals);
        }
    }

    /// Counts a use that can fold the value; a value is folded if all its uses can.
    fn fold(&mut self, value: Value, number: u32, locals: &mut [LocalDefinition]) {
        let local = &mut locals[value.index()];
        if local.block == number {
            local.foldable_uses += 1;
            self.folded[value.index()] = local.foldable_uses == self.use_counts[value.index()];
        }
    }
}

fn is_constant(op: Op) -> bool {
    matches!(
        op,
        Op::Word(_) | Op::Splat(_) | Op::Pattern(_) | Op::Mask(_)
    )
}

fn writes_memory(op: Op) -> bool {
    op.has_effect() && !matches!(op, Op::FrameStore(_) | Op::FrameStoreAt(_) | Op::Poll(_))
}

/// The operand positions that may be memory operands, one at a time; the better one first.
pub(crate) fn memory_positions(op: Op) -> [Option<usize>; 2] {
    match op {
        Op::Binary(binary) if is_one_instruction(binary) => {
            [Some(1), is_commutative(binary).then_some(0)]
        }
        Op::Masked(binary) if is_one_instruction(binary) => {
            [Some(2), is_commutative(binary).then_some(1)]
        }
        Op::Compare(_) | Op::MaskedCompare(_) | Op::Fma => [Some(1), Some(0)],
        Op::Select => [Some(1), None],
        _ => [None, None],
    }
}

/// Whether an operation is one instruction on every target.
pub(crate) fn is_one_instruction(op: LaneBinary) -> bool {
    use WordBinary as W;
    match op {
        LaneBinary::ScaleF => false,
        LaneBinary::Int(op) => !matches!(
            op,
            W::Shl | W::ShrU | W::ShrS | W::DivU | W::DivS | W::RemU | W::RemS | W::MulHighU
        ),
        _ => true,
    }
}

/// Whether operands may be swapped. NaNs do not forbid it: which of two NaNs a sum returns is not specified.
pub(crate) fn is_commutative(op: LaneBinary) -> bool {
    use WordBinary as W;
    match op {
        LaneBinary::AddF | LaneBinary::MulF => true,
        LaneBinary::Int(op) => matches!(
            op,
            W::Add | W::Mul | W::And | W::Or | W::Xor | W::MinU | W::MaxU | W::MinS | W::MaxS
        ),
        _ => false,
    }
}

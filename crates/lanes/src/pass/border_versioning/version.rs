//! A copy of a region, in which some accesses have affine indices.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::ir::{BlockId, Edge, Function, Inst, Op, Terminator, Value};

/// The instructions of a block, by their results.
pub(super) type Definitions = BTreeMap<Value, Inst>;

/// A version of a region under construction.
pub(super) struct Version<'a> {
    /// The instructions of the block that the region is a part of. Those of other blocks may be in regions themselves.
    definitions: &'a Definitions,
    /// The copies of values of the region.
    names: BTreeMap<Value, Value>,
    /// Clamped values and what is computed from them: the affine values. `None` if it has none.
    affine: BTreeMap<Value, Option<Value>>,
    insts: Vec<Inst>,
}

impl<'a> Version<'a> {
    /// A version in which clamped values have these affine values.
    pub(super) fn new(definitions: &'a Definitions, affine: &[(Value, Value)]) -> Self {
        let affine = affine.iter().map(|(value, affine)| (*value, Some(*affine)));
        Self {
            definitions,
            names: BTreeMap::new(),
            affine: affine.collect(),
            insts: Vec::new(),
        }
    }

    fn name(&self, value: Value) -> Value {
        self.names.get(&value).copied().unwrap_or(value)
    }

    /// Copies an instruction.
    pub(super) fn copy(&mut self, function: &mut Function, inst: &Inst) {
        let operands = inst.operands.iter().map(|operand| self.name(*operand));
        let operands = operands.collect();
        let result = self.push(function, inst, operands);
        self.names.extend(inst.result.zip(result));
    }

    /// Copies an access, with the affine value of its index and a bounds check of that.
    pub(super) fn access(&mut self, function: &mut Function, inst: &Inst) {
        let last = inst.operands.len() - 1;
        let mask = inst.operands[last];
        let check = self.definitions.get(&mask).cloned();
        let (Some(index), Some(check)) = (self.affine(function, inst.operands[1]), check) else {
            return self.copy(function, inst);
        };
        let named = |version: &Self, inst: &Inst| {
            let operands = inst.operands.iter().map(|operand| version.name(*operand));
            operands.collect::<SmallVec<[Value; 5]>>()
        };
        let mut operands = named(self, &check);
        operands[0] = index;
        let mask = self.push(function, &check, operands);
        let mut operands = named(self, inst);
        operands[1] = index;
        operands[last] = mask.unwrap_or(operands[last]);
        let result = self.push(function, inst, operands);
        self.names.extend(inst.result.zip(result));
    }

    /// The affine value of an index that is computed from clamped values by sums and products.
    fn affine(&mut self, function: &mut Function, value: Value) -> Option<Value> {
        if let Some(known) = self.affine.get(&value) {
            return *known;
        }
        let definition = self.definitions.get(&value).cloned();
        let inst = definition.filter(|inst| matches!(inst.op, Op::Binary(_) | Op::ShlBy(_)))?;
        let mut operands = inst.operands.clone();
        let mut is_affine = false;
        for operand in &mut operands {
            let affine = self.affine(function, *operand);
            is_affine |= affine.is_some();
            *operand = affine.unwrap_or_else(|| self.name(*operand));
        }
        let affine = is_affine
            .then(|| self.push(function, &inst, operands))
            .flatten();
        self.affine.insert(value, affine);
        affine
    }

    /// Appends a copy with other operands, and returns its result.
    fn push(
        &mut self,
        function: &mut Function,
        inst: &Inst,
        operands: SmallVec<[Value; 5]>,
    ) -> Option<Value> {
        let result = inst
            .result
            .map(|result| function.add_value(function.type_of(result)));
        self.insts.push(Inst {
            op: inst.op,
            operands,
            result,
        });
        result
    }

    /// Ends the version in a new block that jumps to the join.
    pub(super) fn finish(
        self,
        function: &mut Function,
        results: &[Value],
        join: BlockId,
    ) -> BlockId {
        let arguments = results.iter().map(|result| self.name(*result)).collect();
        let block = function.add_block();
        let end = function.block_mut(block);
        end.insts = self.insts;
        end.terminator = Terminator::Jump(Edge {
            block: join,
            arguments,
        });
        block
    }
}

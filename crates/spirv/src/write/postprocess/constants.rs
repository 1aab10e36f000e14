//! Writes specialization constants.
//!
//! In: the plan of constants. Out: their declarations. They are placed after the scalar types and before all other
//! declarations, so that arrays can use them as lengths.

use std::collections::{BTreeMap, HashMap};

use anywarp_program::naga::{Literal, Scalar, ScalarKind};
use rspirv::spirv::Op;

use super::super::constants::{SpecConstantPlan, Tree};
use super::analysis::ModuleAnalysis;
use super::instruction::{push, push_number};

/// The declarations inserted at the start of the declaration section.
#[derive(Default)]
pub(super) struct Declarations {
    pub(super) words: Vec<u32>,
    /// Ids of the constants of the plan.
    pub(super) constants: Vec<u32>,
    /// Ids of the array lengths of the plan.
    pub(super) lengths: Vec<u32>,
    /// Ids of workgroup sizes, by index of the entry point.
    pub(super) sizes: BTreeMap<usize, [u32; 3]>,
    /// Types and constants, keyed by opcode and operands.
    scalars: HashMap<(u32, Vec<u32>), u32>,
}

/// Allocates unused ids.
pub(super) struct Ids(pub(super) u32);

impl Ids {
    pub(super) fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0 - 1
    }
}

impl Declarations {
    pub(super) fn new(analysis: &ModuleAnalysis, plan: &SpecConstantPlan, ids: &mut Ids) -> Self {
        let mut declarations = Self::default();
        for ((number, shape), id) in &analysis.scalars {
            declarations.declare_scalar(*number, shape, *id);
        }
        for constant in &plan.constants {
            let id = declarations.literal(Op::SpecConstant, constant.default, ids);
            declarations.constants.push(id);
        }
        declarations.lengths = plan
            .lengths
            .iter()
            .map(|tree| declarations.tree(tree, ids))
            .collect();
        let places = plan.workgroup_sizes.iter();
        declarations.sizes = places
            .map(|(place, sizes)| {
                (
                    *place,
                    sizes.each_ref().map(|tree| declarations.tree(tree, ids)),
                )
            })
            .collect();
        declarations
    }

    fn declare_scalar(&mut self, number: u32, shape: &[u32], id: u32) {
        let operands: Vec<u32> = [id].iter().chain(shape).copied().collect();
        push_number(&mut self.words, number, &operands);
        self.scalars.insert((number, shape.to_vec()), id);
    }

    /// The id of a scalar type, declared on first use.
    pub(super) fn scalar(&mut self, scalar: Scalar, ids: &mut Ids) -> u32 {
        let bits = u32::from(scalar.width) * 8;
        let (op, shape) = match scalar.kind {
            ScalarKind::Bool => (Op::TypeBool, vec![]),
            ScalarKind::Sint => (Op::TypeInt, vec![bits, 1]),
            ScalarKind::Float => (Op::TypeFloat, vec![bits]),
            _ => (Op::TypeInt, vec![bits, 0]),
        };
        if let Some(id) = self.scalars.get(&(op as u32, shape.clone())) {
            return *id;
        }
        let id = ids.next();
        self.declare_scalar(op as u32, &shape, id);
        id
    }

    /// A literal constant; `op` is `OpConstant` or `OpSpecConstant`.
    fn literal(&mut self, op: Op, literal: Literal, ids: &mut Ids) -> u32 {
        let ty = self.scalar(literal.scalar(), ids);
        let id = ids.next();
        let is_special = op == Op::SpecConstant;
        let (op, value) = match literal {
            Literal::Bool(value) => {
                let op = match (value, is_special) {
                    (true, true) => Op::SpecConstantTrue,
                    (true, false) => Op::ConstantTrue,
                    (false, true) => Op::SpecConstantFalse,
                    (false, false) => Op::ConstantFalse,
                };
                (op, vec![])
            }
            Literal::F32(value) => (op, vec![value.to_bits()]),
            Literal::F16(value) => (op, vec![u32::from(value.to_bits())]),
            Literal::U32(value) => (op, vec![value]),
            Literal::I32(value) => (op, vec![value.cast_unsigned()]),
            Literal::U16(value) => (op, vec![u32::from(value)]),
            // Narrow signed integers are sign-extended.
            Literal::I16(value) => (op, vec![i32::from(value).cast_unsigned()]),
            Literal::F64(value) => (op, halves(value.to_bits())),
            Literal::U64(value) => (op, halves(value)),
            Literal::I64(value) | Literal::AbstractInt(value) => {
                (op, halves(value.cast_unsigned()))
            }
            Literal::AbstractFloat(value) => (op, halves(value.to_bits())),
        };
        let operands: Vec<u32> = [ty, id].into_iter().chain(value).collect();
        push(&mut self.words, op, &operands);
        id
    }

    fn tree(&mut self, tree: &Tree, ids: &mut Ids) -> u32 {
        match tree {
            Tree::Literal(literal) => self.literal(Op::Constant, *literal, ids),
            Tree::Constant(place, _) => self.constants.get(*place).copied().unwrap_or_default(),
            Tree::Operation(operation) => {
                let ty = self.scalar(operation.scalar, ids);
                let operands: Vec<u32> = operation
                    .operands
                    .iter()
                    .map(|operand| self.tree(operand, ids))
                    .collect();
                let id = ids.next();
                let operands: Vec<u32> = [ty, id, operation.op as u32]
                    .into_iter()
                    .chain(operands)
                    .collect();
                push(&mut self.words, Op::SpecConstantOp, &operands);
                id
            }
        }
    }
}

fn halves(bits: u64) -> Vec<u32> {
    vec![bits as u32, (bits >> 32) as u32]
}

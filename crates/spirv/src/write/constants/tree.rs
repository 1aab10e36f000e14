//! Override expressions as trees of `OpSpecConstantOp`.
//!
//! In: a global expression. Out: a tree; `None` if it cannot be expressed. What always holds: it contains only
//! operations that shaders may use in `OpSpecConstantOp`. These are on integers and booleans; computations with floats
//! have no tree.

use std::collections::HashMap;

use anywarp_program::naga::{
    BinaryOperator, Expression, Handle, Literal, MathFunction, Module, Override, Scalar,
    ScalarKind, TypeInner, UnaryOperator,
};
use rspirv::spirv::Op;

use super::Lowering;

/// A constant expression of SPIR-V.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::write) enum Tree {
    Literal(Literal),
    /// A specialization constant: its index in the plan, and its type.
    Constant(usize, Scalar),
    Operation(Box<Operation>),
}

/// An `OpSpecConstantOp`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::write) struct Operation {
    pub(in crate::write) op: Op,
    pub(in crate::write) scalar: Scalar,
    pub(in crate::write) operands: Vec<Tree>,
}

/// Maximal depth of a tree: trees are walked by recursion.
const MAX_DEPTH: usize = 64;

impl Tree {
    pub(in crate::write) fn scalar(&self) -> Scalar {
        match self {
            Self::Literal(literal) => literal.scalar(),
            Self::Constant(_, scalar) => *scalar,
            Self::Operation(operation) => operation.scalar,
        }
    }

    /// The same bits as `u32`, the type of lengths and sizes.
    pub(super) fn into_unsigned(self) -> Self {
        match self {
            Self::Literal(Literal::I32(value)) => {
                Self::Literal(Literal::U32(value.cast_unsigned()))
            }
            tree if tree.scalar() == Scalar::I32 => {
                // Shaders have no constant bitcast, but addition may mix signedness.
                operation(
                    Op::IAdd,
                    Scalar::U32,
                    [tree, Self::Literal(Literal::U32(0))],
                )
            }
            tree => tree,
        }
    }
}

fn operation<const N: usize>(op: Op, scalar: Scalar, operands: [Tree; N]) -> Tree {
    Tree::Operation(Box::new(Operation {
        op,
        scalar,
        operands: operands.into(),
    }))
}

pub(super) fn of_override(
    module: &Module,
    lowerings: &HashMap<Handle<Override>, Lowering>,
    handle: Handle<Override>,
) -> Option<Tree> {
    TreeBuilder { module, lowerings }.of_override(handle, MAX_DEPTH)
}

pub(super) fn of_expression(
    module: &Module,
    lowerings: &HashMap<Handle<Override>, Lowering>,
    handle: Handle<Expression>,
) -> Option<Tree> {
    TreeBuilder { module, lowerings }.of(handle, MAX_DEPTH)
}

struct TreeBuilder<'a> {
    module: &'a Module,
    lowerings: &'a HashMap<Handle<Override>, Lowering>,
}

impl TreeBuilder<'_> {
    fn of_override(&self, handle: Handle<Override>, depth: usize) -> Option<Tree> {
        match *self.lowerings.get(&handle)? {
            Lowering::Expression(init) => self.of(init, depth),
            Lowering::Constant(place, _) => {
                let TypeInner::Scalar(scalar) =
                    self.module.types[self.module.overrides[handle].ty].inner
                else {
                    return None;
                };
                Some(Tree::Constant(place, scalar))
            }
        }
    }

    fn of(&self, handle: Handle<Expression>, depth: usize) -> Option<Tree> {
        let depth = depth.checked_sub(1)?;
        match self.module.global_expressions[handle] {
            Expression::Literal(literal) => Some(Tree::Literal(literal)),
            Expression::Constant(constant) => self.of(self.module.constants[constant].init, depth),
            Expression::Override(handle) => self.of_override(handle, depth),
            Expression::ZeroValue(ty) => match self.module.types[ty].inner {
                TypeInner::Scalar(scalar) => Literal::zero(scalar).map(Tree::Literal),
                _ => None,
            },
            Expression::Unary { op, expr } => unary(op, self.of(expr, depth)?),
            Expression::Binary { op, left, right } => {
                binary(op, self.of(left, depth)?, self.of(right, depth)?)
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => {
                let operands = [
                    self.of(condition, depth)?,
                    self.of(accept, depth)?,
                    self.of(reject, depth)?,
                ];
                let scalar = operands[1].scalar();
                Some(operation(Op::Select, scalar, operands))
            }
            Expression::As {
                expr,
                kind,
                convert: Some(4),
            } => converted(self.of(expr, depth)?, kind),
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                arg3: None,
            } => {
                let other = |operand: Option<_>| {
                    operand.map_or(Some(None), |operand| self.of(operand, depth).map(Some))
                };
                math(fun, self.of(arg, depth)?, other(arg1)?, other(arg2)?)
            }
            _ => None,
        }
    }
}

fn unary(op: UnaryOperator, operand: Tree) -> Option<Tree> {
    let scalar = operand.scalar();
    let op = match (op, scalar.kind) {
        (UnaryOperator::Negate, ScalarKind::Sint) => Op::SNegate,
        (UnaryOperator::LogicalNot, ScalarKind::Bool) => Op::LogicalNot,
        (UnaryOperator::BitwiseNot, ScalarKind::Sint | ScalarKind::Uint) => Op::Not,
        _ => return None,
    };
    Some(operation(op, scalar, [operand]))
}

fn binary(op: BinaryOperator, left: Tree, right: Tree) -> Option<Tree> {
    use BinaryOperator as B;
    let scalar = left.scalar();
    let (signed, unsigned) = match scalar.kind {
        ScalarKind::Sint => (true, false),
        ScalarKind::Uint => (false, true),
        ScalarKind::Bool => (false, false),
        _ => return None,
    };
    let result = match op {
        B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual => {
            Scalar::BOOL
        }
        _ => scalar,
    };
    let op = match (op, signed, unsigned) {
        (B::Add, _, _) => Op::IAdd,
        (B::Subtract, _, _) => Op::ISub,
        (B::Multiply, _, _) => Op::IMul,
        (B::Divide, true, _) => Op::SDiv,
        (B::Divide, _, true) => Op::UDiv,
        (B::Modulo, true, _) => Op::SRem,
        (B::Modulo, _, true) => Op::UMod,
        (B::ShiftLeft, _, _) => Op::ShiftLeftLogical,
        (B::ShiftRight, true, _) => Op::ShiftRightArithmetic,
        (B::ShiftRight, _, true) => Op::ShiftRightLogical,
        (B::And | B::LogicalAnd, false, false) => Op::LogicalAnd,
        (B::InclusiveOr | B::LogicalOr, false, false) => Op::LogicalOr,
        (B::And, _, _) => Op::BitwiseAnd,
        (B::InclusiveOr, _, _) => Op::BitwiseOr,
        (B::ExclusiveOr, true, _) | (B::ExclusiveOr, _, true) => Op::BitwiseXor,
        (B::Equal, false, false) => Op::LogicalEqual,
        (B::NotEqual, false, false) => Op::LogicalNotEqual,
        (B::Equal, _, _) => Op::IEqual,
        (B::NotEqual, _, _) => Op::INotEqual,
        (B::Less, true, _) => Op::SLessThan,
        (B::Less, _, true) => Op::ULessThan,
        (B::LessEqual, true, _) => Op::SLessThanEqual,
        (B::LessEqual, _, true) => Op::ULessThanEqual,
        (B::Greater, true, _) => Op::SGreaterThan,
        (B::Greater, _, true) => Op::UGreaterThan,
        (B::GreaterEqual, true, _) => Op::SGreaterThanEqual,
        (B::GreaterEqual, _, true) => Op::UGreaterThanEqual,
        _ => return None,
    };
    Some(operation(op, result, [left, right]))
}

fn converted(operand: Tree, kind: ScalarKind) -> Option<Tree> {
    let from = operand.scalar();
    if from.kind == kind {
        return Some(operand);
    }
    let to = Scalar { kind, width: 4 };
    let is_word = from.width == 4;
    match (from.kind, kind) {
        (ScalarKind::Sint | ScalarKind::Uint, ScalarKind::Sint | ScalarKind::Uint) if is_word => {
            Some(operation(
                Op::IAdd,
                to,
                [operand, Tree::Literal(Literal::zero(to)?)],
            ))
        }
        (ScalarKind::Sint | ScalarKind::Uint, ScalarKind::Bool) => {
            let zero = Tree::Literal(Literal::zero(from)?);
            Some(operation(Op::INotEqual, Scalar::BOOL, [operand, zero]))
        }
        (ScalarKind::Bool, ScalarKind::Sint | ScalarKind::Uint) => {
            let (one, zero) = (Literal::one(to)?, Literal::zero(to)?);
            Some(operation(
                Op::Select,
                to,
                [operand, Tree::Literal(one), Tree::Literal(zero)],
            ))
        }
        _ => None,
    }
}

fn math(fun: MathFunction, a: Tree, b: Option<Tree>, c: Option<Tree>) -> Option<Tree> {
    let pick = |op: BinaryOperator, a: Tree, b: Tree| {
        let scalar = a.scalar();
        Some(operation(
            Op::Select,
            scalar,
            [binary(op, a.clone(), b.clone())?, a, b],
        ))
    };
    match (fun, b, c) {
        (MathFunction::Max, Some(b), None) => pick(BinaryOperator::Greater, a, b),
        (MathFunction::Min, Some(b), None) => pick(BinaryOperator::Less, a, b),
        (MathFunction::Clamp, Some(low), Some(high)) => pick(
            BinaryOperator::Less,
            pick(BinaryOperator::Greater, a, low)?,
            high,
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: i32) -> Tree {
        Tree::Literal(Literal::I32(value))
    }

    #[test]
    fn floats_have_no_tree() {
        let float = || Tree::Literal(Literal::F32(1.0));
        assert_eq!(binary(BinaryOperator::Add, float(), float()), None);
        assert_eq!(unary(UnaryOperator::Negate, float()), None);
        assert_eq!(converted(number(1), ScalarKind::Float), None);
    }

    #[test]
    fn signs_choose_the_operation() {
        let tree = binary(BinaryOperator::Divide, number(1), number(2));
        assert_eq!(
            tree,
            Some(operation(Op::SDiv, Scalar::I32, [number(1), number(2)]))
        );
        assert_eq!(
            converted(number(1), ScalarKind::Uint).map(|tree| tree.scalar()),
            Some(Scalar::U32)
        );
        assert_eq!(
            number(-1).into_unsigned(),
            Tree::Literal(Literal::U32(u32::MAX))
        );
    }
}

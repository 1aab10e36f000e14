//! Which expressions lanes may evaluate that do not need them, and what that costs.
//!
//! In: an expression of a function. Out: the estimated number of vector instructions, or `None` if it must not be
//! evaluated speculatively: it has side effects, reads memory at an address that depends on the lane, or takes longer
//! than a branch around it (divisions, transcendental functions and other functions that may be host calls).

use naga::valid::FunctionInfo;
use naga::{
    AddressSpace, BinaryOperator, Expression, Function, Handle, MathFunction, Module, Scalar,
    ScalarKind, TypeInner, UnaryOperator,
};

/// The estimated instructions of an operation on matrices.
const MATRIX_COST: usize = 16;

/// The expressions of a function, by what their speculative evaluation costs.
#[derive(Clone, Copy)]
pub(in crate::lower) struct SpeculationCosts<'a> {
    module: &'a Module,
    function: &'a Function,
    info: &'a FunctionInfo,
}

impl<'a> SpeculationCosts<'a> {
    pub(in crate::lower) fn new(
        module: &'a Module,
        function: &'a Function,
        info: &'a FunctionInfo,
    ) -> Self {
        Self {
            module,
            function,
            info,
        }
    }

    /// The estimated instructions of an expression, without its operands, if it may be evaluated speculatively.
    pub(in crate::lower) fn of(&self, handle: Handle<Expression>) -> Option<usize> {
        match self.function.expressions[handle] {
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::ZeroValue(_)
            | Expression::Compose { .. }
            | Expression::Splat { .. }
            | Expression::Swizzle { .. }
            | Expression::AccessIndex { .. } => Some(0),
            Expression::Load { pointer } => self.is_uniform_load(pointer).then_some(0),
            Expression::ArrayLength(_) => Some(1),
            Expression::Unary { op, expr } => {
                let kind = match op {
                    UnaryOperator::Negate => Operation::Arithmetic,
                    UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot => Operation::Bits,
                };
                Some(self.each(expr, kind))
            }
            Expression::Select { accept, .. } => Some(self.each(accept, Operation::Bits)),
            Expression::Relational { argument, .. } => {
                Some(self.each(argument, Operation::Arithmetic))
            }
            Expression::As { expr, .. } => Some(self.conversion(expr).max(self.conversion(handle))),
            Expression::Binary { op, left, right } => {
                let operation = binary(op)?;
                Some(self.each(left, operation).max(self.each(right, operation)))
            }
            Expression::Math { fun, arg, .. } => Some(self.each(arg, math(fun)?)),
            _ => None,
        }
    }

    /// The cost of an operation on all components of a value.
    fn each(&self, operand: Handle<Expression>, operation: Operation) -> usize {
        match *self.type_of(operand) {
            TypeInner::Scalar(scalar) => operation.cost(scalar),
            TypeInner::Vector { size, scalar } => size as usize * operation.cost(scalar),
            _ => MATRIX_COST,
        }
    }

    fn conversion(&self, handle: Handle<Expression>) -> usize {
        self.each(handle, Operation::Conversion)
    }

    fn type_of(&self, handle: Handle<Expression>) -> &'a TypeInner {
        self.info[handle].ty.inner_with(&self.module.types)
    }

    /// Whether a pointer refers to a number or a vector in a variable, at an address that is the same for all lanes.
    fn is_uniform_load(&self, pointer: Handle<Expression>) -> bool {
        let mut at = pointer;
        let mut members = Vec::new();
        let ty = loop {
            match self.function.expressions[at] {
                Expression::AccessIndex { base, index } => {
                    members.push(index);
                    at = base;
                }
                Expression::LocalVariable(local) => break self.function.local_variables[local].ty,
                Expression::GlobalVariable(global) => {
                    let global = &self.module.global_variables[global];
                    if matches!(global.space, AddressSpace::Handle) {
                        return false;
                    }
                    break global.ty;
                }
                _ => return false,
            }
        };
        let mut inner = &self.module.types[ty].inner;
        for index in members.into_iter().rev() {
            inner = match *inner {
                TypeInner::Array { base, .. } => &self.module.types[base].inner,
                TypeInner::Struct { ref members, .. } => {
                    &self.module.types[members[index as usize].ty].inner
                }
                // A component, or a column.
                TypeInner::Vector { .. } | TypeInner::Matrix { .. } => return true,
                _ => return false,
            };
        }
        matches!(inner, TypeInner::Scalar(_) | TypeInner::Vector { .. })
    }
}

/// Kinds of operations, by what they cost for numbers that are not 32 bits wide.
#[derive(Clone, Copy)]
enum Operation {
    /// Bitwise operations and selections.
    Bits,
    /// Sums, differences, negation, absolute values; products of floats; rounding.
    Arithmetic,
    /// Comparisons.
    Comparison,
    /// The smaller or the larger of two numbers.
    MinMax,
    /// Products of integers; shifts.
    Product,
    /// Twice a minimum or maximum, or a rounding and a difference.
    Pair,
    /// Conversions to and from other types.
    Conversion,
}

impl Operation {
    /// The estimated instructions for one number. 64-bit numbers are two values: `lower::arithmetic` builds operations
    /// on integers from those on halves; the code generator joins and splits the halves of floats for each operation, and
    /// floats are compared by their bits.
    fn cost(self, scalar: Scalar) -> usize {
        let is_float = scalar.kind == ScalarKind::Float;
        match (scalar.width, self) {
            (8, Self::Bits) => 2,
            (8, Self::Arithmetic) => 6,
            (8, Self::Comparison) if !is_float => 5,
            (8, Self::MinMax) if !is_float => 7,
            (8, Self::Product) if is_float => 6,
            (8, Self::Product | Self::Conversion) => 12,
            (8, Self::Comparison | Self::MinMax) => 24,
            (8, Self::Pair) => 48,
            // Each result is rounded or wrapped.
            (2, Self::Bits | Self::Comparison) => 1,
            (2, Self::Pair) => 4,
            (2, _) => 3,
            (_, Self::Pair) => 2,
            _ => 1,
        }
    }
}

/// The kind of an operator. Divisions may take long.
fn binary(op: BinaryOperator) -> Option<Operation> {
    use BinaryOperator as B;
    match op {
        B::Divide | B::Modulo => None,
        B::Add | B::Subtract => Some(Operation::Arithmetic),
        B::Multiply | B::ShiftLeft | B::ShiftRight => Some(Operation::Product),
        B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual => {
            Some(Operation::Comparison)
        }
        B::And | B::ExclusiveOr | B::InclusiveOr | B::LogicalAnd | B::LogicalOr => {
            Some(Operation::Bits)
        }
    }
}

/// The kind of a builtin function that takes no longer than a branch.
fn math(function: MathFunction) -> Option<Operation> {
    use MathFunction as M;
    match function {
        M::Abs | M::Floor | M::Ceil | M::Trunc => Some(Operation::Arithmetic),
        M::Min | M::Max => Some(Operation::MinMax),
        M::Clamp | M::Saturate | M::Fract => Some(Operation::Pair),
        // A product and a sum for each component.
        M::Dot => Some(Operation::Product),
        _ => None,
    }
}

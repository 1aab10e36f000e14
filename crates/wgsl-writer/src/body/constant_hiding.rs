//! Hides constant operands from constant evaluation.
//!
//! WGSL front ends evaluate constant expressions, and report overflow, division by zero or an invalid range as an
//! error, although at run time each has a value. In: a function. Out: the operators of which one operand must not be
//! constant in the text; it is bound to a `let`. Programs parsed by naga's WGSL front end have none, because it has
//! evaluated them.
//!
//! If there are overrides, naga evaluates functions again when they are set: it looks through `let`, and fails if an
//! expression evaluates to a part of another. There a `var` hides the operand.

use anywarp_program::naga::valid::FunctionInfo;
use anywarp_program::naga::{
    Arena, BinaryOperator, Expression, Handle, Literal, MathFunction, Module, ScalarKind, TypeInner,
};

use super::FunctionView;
use super::let_plan::{LetPlan, OperandSummary};
use crate::literal;
use anywarp_program::operands;

/// Records whether an expression is constant, or returns the operand to hide. Operands are visited before their uses.
pub(super) fn hide(
    module: &Module,
    function: FunctionView<'_>,
    info: &FunctionInfo,
    plan: &mut LetPlan,
    handle: Handle<Expression>,
    operand_summary: OperandSummary,
) -> Option<Handle<Expression>> {
    let has_overrides = !module.overrides.is_empty();
    let expression = &function.expressions[handle];
    let (all, first) = (operand_summary.constant, operand_summary.first);
    // Most expressions are neither constant nor depend on overrides.
    if !all && !has_overrides {
        return match *expression {
            Expression::Binary { op, right, .. } => divisor(module, function, op, right),
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                arg3,
            } => range(module, function, fun, [Some(arg), arg1, arg2, arg3]),
            _ => None,
        };
    }
    // Whether the value is known once overrides are set.
    let mut fixed = has_overrides;
    if has_overrides {
        operands::of_expression(expression, |&used| {
            fixed &= plan.facts[used.index()].constant
                || matches!(function.expressions[used], Expression::Override(_));
        });
    }
    let index = handle.index();
    match *expression {
        Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => {
            plan.facts[index].constant = true;
            None
        }
        Expression::Compose { .. } | Expression::Splat { .. } => {
            plan.facts[index].constant = all;
            None
        }
        // A bitcast to the same type is not written.
        Expression::As {
            expr,
            kind,
            convert: None,
        } if info[expr].ty.inner_with(&module.types).scalar_kind() == Some(kind) => {
            plan.facts[index].constant = all;
            None
        }
        // A literal of the other signedness is written as such a literal.
        Expression::As { .. } if literal::recast(function.expressions, handle).is_some() => {
            plan.facts[index].constant = true;
            None
        }
        // naga confuses the results of setting overrides in these with existing expressions.
        Expression::Select { .. } | Expression::Access { .. }
            if fixed && plan.facts[index].emitted =>
        {
            first
        }
        Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Select { .. }
        | Expression::Relational { .. }
        | Expression::Math { .. }
        | Expression::Access { .. }
        | Expression::AccessIndex { .. }
        | Expression::Swizzle { .. }
        | Expression::As { .. }
            if all && plan.facts[index].emitted =>
        {
            first
        }
        // The result is one of the operands, which naga reports as evaluated twice.
        Expression::Select {
            condition,
            accept,
            reject,
        } if matches!(function.expressions[condition], Expression::Override(_))
            && [accept, reject].map(|operand| plan.facts[operand.index()].constant)
                == [true; 2]
            && [accept, reject].map(|operand| plan.facts[operand.index()].emitted)
                != [false; 2] =>
        {
            Some(condition)
        }
        Expression::Binary { op, right, .. } => divisor(module, function, op, right),
        Expression::Math {
            fun,
            arg,
            arg1,
            arg2,
            arg3,
        } => range(module, function, fun, [Some(arg), arg1, arg2, arg3]),
        _ => None,
    }
}

/// The right operand of an integer division, if it is zero.
fn divisor(
    module: &Module,
    function: FunctionView<'_>,
    operator: BinaryOperator,
    right: Handle<Expression>,
) -> Option<Handle<Expression>> {
    let divides = matches!(operator, BinaryOperator::Divide | BinaryOperator::Modulo);
    let values = divides.then(|| ConstantComponents::of(module, function.expressions, right))??;
    (values.is_integer && values.numbers.contains(&0.0)).then_some(right)
}

/// The argument to hide of a builtin function whose other arguments define an invalid range.
fn range(
    module: &Module,
    function: FunctionView<'_>,
    fun: MathFunction,
    arguments: [Option<Handle<Expression>>; 4],
) -> Option<Handle<Expression>> {
    let values = |argument: Option<Handle<Expression>>| {
        ConstantComponents::of(module, function.expressions, argument?).map(|values| values.numbers)
    };
    let (low, high, is_range): (_, _, fn(f64, f64) -> bool) = match fun {
        MathFunction::Clamp => (arguments[1], arguments[2], |low, high| low <= high),
        MathFunction::SmoothStep => (arguments[0], arguments[1], |low, high| low != high),
        MathFunction::ExtractBits => (arguments[1], arguments[2], |low, high| low + high <= 32.0),
        MathFunction::InsertBits => (arguments[2], arguments[3], |low, high| low + high <= 32.0),
        // The limit for `f16`; larger exponents are rare.
        MathFunction::Ldexp => (arguments[1], arguments[1], |power, _| power <= 15.0),
        _ => return None,
    };
    let (left, right) = (values(low)?, values(high)?);
    let at = |numbers: &[f64], index: usize| numbers.get(index).or(numbers.last()).copied();
    let fits = (0..left.len().max(right.len())).all(|index| {
        at(&left, index)
            .zip(at(&right, index))
            .is_none_or(|(low, high)| is_range(low, high))
    });
    (!fits).then_some(high).flatten()
}

/// The components of a constant.
struct ConstantComponents {
    numbers: Vec<f64>,
    is_integer: bool,
}

impl ConstantComponents {
    /// `None` if the expression is not constant, or needs no check.
    fn of(
        module: &Module,
        arena: &Arena<Expression>,
        expression: Handle<Expression>,
    ) -> Option<Self> {
        match arena[expression] {
            Expression::Literal(literal) => {
                let (number, is_integer) = match literal {
                    Literal::I32(value) => (f64::from(value), true),
                    Literal::U32(value) => (f64::from(value), true),
                    Literal::I64(value) => (value as f64, true),
                    Literal::U64(value) => (value as f64, true),
                    Literal::F32(value) => (f64::from(value), false),
                    Literal::F16(value) => (f64::from(value), false),
                    Literal::F64(value) => (value, false),
                    _ => return None,
                };
                Some(Self {
                    numbers: vec![number],
                    is_integer,
                })
            }
            Expression::Constant(constant) => Self::of(
                module,
                &module.global_expressions,
                module.constants[constant].init,
            ),
            Expression::ZeroValue(ty) => match module.types[ty].inner {
                TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } => Some(Self {
                    numbers: vec![0.0],
                    is_integer: matches!(scalar.kind, ScalarKind::Sint | ScalarKind::Uint),
                }),
                _ => None,
            },
            Expression::Splat { value, .. } => Self::of(module, arena, value),
            Expression::Compose { ty, ref components } => {
                if !matches!(module.types[ty].inner, TypeInner::Vector { .. }) {
                    return None;
                }
                let mut all = Self {
                    numbers: Vec::new(),
                    is_integer: false,
                };
                for component in components {
                    let mut values = Self::of(module, arena, *component)?;
                    all.is_integer = values.is_integer;
                    all.numbers.append(&mut values.numbers);
                }
                Some(all)
            }
            _ => None,
        }
    }
}

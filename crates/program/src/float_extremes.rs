//! The order of the operands of `min` and `max`, on which execution engines agree.
//!
//! In: a call of a builtin function. Out: its arguments, where those of `min` and `max` are swapped if only the first is
//! a constant expression.
//!
//! WGSL does not say which operand `min` returns if both are zeros of different sign. Our engines return the second
//! one. The minimum and maximum instructions of x86 do so, too, and return their second operand if either is NaN: with
//! a second operand that is a number, one instruction is the whole function. Most calls have such a constant, on either
//! side, so that the engines put it second.

use naga::{Arena, Expression, Handle, MathFunction};

/// The arguments of a builtin function, in the order in which engines evaluate it.
///
/// ```
/// use anywarp_program::naga::{Expression, MathFunction};
/// use anywarp_program::{Program, float_extremes};
///
/// let program = Program::from_wgsl("fn f(x: f32) -> f32 { return max(0.0, x); }")?;
/// let (_, function) = program.module().functions.iter().next().unwrap();
/// let expressions = &function.expressions;
/// let calls = expressions.iter().filter_map(|(_, expression)| match *expression {
///     Expression::Math { fun: fun @ MathFunction::Max, arg, arg1, arg2, arg3 } => {
///         Some(float_extremes::ordered(fun, [Some(arg), arg1, arg2, arg3], expressions))
///     }
///     _ => None,
/// });
/// let [Some(first), Some(_), None, None] = calls.last().unwrap() else { panic!() };
/// assert!(matches!(expressions[first], Expression::FunctionArgument(0)));
/// # Ok::<(), anywarp_program::ProgramError>(())
/// ```
pub fn ordered(
    function: MathFunction,
    arguments: [Option<Handle<Expression>>; 4],
    expressions: &Arena<Expression>,
) -> [Option<Handle<Expression>>; 4] {
    match (function, arguments) {
        (MathFunction::Min | MathFunction::Max, [Some(first), Some(second), ..])
            if is_constant(first, expressions) && !is_constant(second, expressions) =>
        {
            [Some(second), Some(first), None, None]
        }
        _ => arguments,
    }
}

/// Whether an expression is built from constants only.
fn is_constant(handle: Handle<Expression>, expressions: &Arena<Expression>) -> bool {
    match expressions[handle] {
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::Override(_)
        | Expression::ZeroValue(_) => true,
        Expression::Splat { value, .. } => is_constant(value, expressions),
        Expression::Compose { ref components, .. } => {
            components.iter().all(|it| is_constant(*it, expressions))
        }
        _ => false,
    }
}

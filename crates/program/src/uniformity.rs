//! Uniformity of expressions: the part that every uniformity analysis shares.
//!
//! In: an expression, and whether its operands have the same value in all invocations of a group. Out: how the
//! uniformity of its value follows from that ([`Transfer`]): the transfer function of a forward data-flow analysis
//! (LLVM: UniformityAnalysis). What always holds: the answer does not depend on the group, on control flow or on the
//! function that contains the expression; whatever does is a [`Source`](Transfer::Source) or a
//! [`Memory`](Transfer::Memory) access, which the analysis decides itself.
//!
//! Two analyses are built on it. They walk the same statements, but answer different questions, so their rules on
//! control flow are not shared:
//! - The WGSL writer repeats WGSL's *specified* analysis: is an operation that needs it in uniform control flow? Its
//!   group is the workgroup. Variables are varying. Control flow after a statement depends on the specified behavior of
//!   the statement: a `switch` that may `continue` does not restore uniformity, even if no invocation does.
//! - `lanes` analyzes values: which are equal in all lanes of a subgroup, and which statements do lanes enter or leave
//!   at different times? It follows variables by a fixpoint, and stores by the lanes that still read them. Control flow
//!   reconverges after every statement, because lowering makes it so with masks.

use naga::{Expression, Handle};

use crate::operands;

/// How the uniformity of a value follows from its expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: an analysis must treat each case, so a new one is a breaking change on purpose.
pub enum Transfer {
    /// Uniform if all operands are.
    Operands,
    /// Read from memory at an address that is uniform if all operands are. Whether the contents are the same for all
    /// invocations depends on the memory.
    Memory,
    /// Decided by the declaration or the statement that the expression refers to: variables, arguments and results.
    Source,
    /// Depends on the invocation whatever the operands are.
    Varying,
}

/// The transfer function of an expression.
pub fn transfer(expression: &Expression) -> Transfer {
    match expression {
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::Override(_)
        | Expression::ZeroValue(_)
        | Expression::Compose { .. }
        | Expression::Access { .. }
        | Expression::AccessIndex { .. }
        | Expression::Splat { .. }
        | Expression::Swizzle { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Select { .. }
        | Expression::Relational { .. }
        | Expression::Math { .. }
        | Expression::As { .. }
        | Expression::ArrayLength(_)
        | Expression::ImageQuery { .. }
        | Expression::CooperativeMultiplyAdd { .. } => Transfer::Operands,
        Expression::Load { .. }
        | Expression::ImageLoad { .. }
        | Expression::RayQueryVertexPositions { .. }
        | Expression::CooperativeLoad { .. } => Transfer::Memory,
        Expression::FunctionArgument(_)
        | Expression::GlobalVariable(_)
        | Expression::LocalVariable(_)
        | Expression::CallResult(_)
        | Expression::WorkGroupUniformLoadResult { .. }
        | Expression::SubgroupBallotResult
        | Expression::SubgroupOperationResult { .. } => Transfer::Source,
        Expression::ImageSample { .. }
        | Expression::Derivative { .. }
        | Expression::AtomicResult { .. }
        | Expression::RayQueryProceedResult
        | Expression::RayQueryGetIntersection { .. } => Transfer::Varying,
    }
}

/// Whether all operands of an expression are uniform.
pub fn has_uniform_operands(
    expression: &Expression,
    mut is_uniform: impl FnMut(Handle<Expression>) -> bool,
) -> bool {
    let mut uniform = true;
    operands::of_expression(expression, |operand| {
        uniform = uniform && is_uniform(*operand);
    });
    uniform
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfers(body: &str) -> Vec<Transfer> {
        let text =
            format!("@group(0) @binding(0) var<storage> a: array<i32>; fn f(x: i32) {{ {body} }}");
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        let (_, function) = module.functions.iter().next().unwrap();
        let expressions = function.expressions.iter();
        expressions
            .map(|(_, expression)| transfer(expression))
            .collect()
    }

    #[test]
    fn declarations_are_sources_and_reads_are_memory() {
        use Transfer::{Memory, Operands, Source};
        // The argument, the buffer, the element and its value, and the sum.
        let found = transfers("let y = a[x] + x;");
        assert_eq!(found, [Source, Source, Operands, Memory, Operands]);
    }

    #[test]
    fn one_varying_operand_makes_the_operands_varying() {
        let mut arena = naga::Arena::new();
        let number = |value| Expression::Literal(naga::Literal::U32(value));
        let left = arena.append(number(1), naga::Span::UNDEFINED);
        let right = arena.append(number(2), naga::Span::UNDEFINED);
        let sum = Expression::Binary {
            op: naga::BinaryOperator::Add,
            left,
            right,
        };
        assert!(has_uniform_operands(&sum, |_| true));
        assert!(!has_uniform_operands(&sum, |operand| operand == left));
        assert!(has_uniform_operands(&arena[left], |_| false));
    }
}

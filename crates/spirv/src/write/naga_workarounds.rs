//! Works around expressions that naga's SPIR-V writer translates incorrectly.
//!
//! In: a module with its analysis. Out: an equivalent module without these expressions:
//! - Integer conversions that change width and signedness: WGSL extends by the sign of the operand, naga's writer by
//!   the sign of the result type. Split into a conversion that keeps the signedness, and a bitcast.
//! - `f16` to `i16`: WGSL saturates to the range of `i16`, naga's writer only to that of `f16`. The operand is clamped
//!   first.
//! - Shifts by at least the bit width: WGSL takes the amount modulo the width, in SPIR-V the result is undefined. The
//!   amount is masked first, unless it is known to be in range.

use anywarp_program::naga::valid::{FunctionInfo, ModuleInfo};
use anywarp_program::naga::{
    Arena, BinaryOperator, Expression, Function, Handle, Literal, MathFunction, Module, Range,
    Scalar, ScalarKind, Span, Type, TypeInner, UniqueArena, VectorSize,
};

use anywarp_program::operands;

/// Rewrites all such expressions. Returns whether there were any; the module must be validated again then.
pub(super) fn rewrite(module: &mut Module, info: &ModuleInfo) -> bool {
    let mut changed = false;
    for (handle, function) in module.functions.iter_mut() {
        changed |= rewrite_function(function, &info[handle], &module.types);
    }
    for (index, entry) in module.entry_points.iter_mut().enumerate() {
        let info = info.get_entry_point(index);
        changed |= rewrite_function(&mut entry.function, info, &module.types);
    }
    changed
}

/// Whether a shift of a 32-bit number may be by 32 or more.
pub(super) fn is_oversized_shift(expression: &Expression, expressions: &Arena<Expression>) -> bool {
    shift_operands(expression).is_some_and(|(_, amount)| !is_below(amount, 32, expressions))
}

/// The operand and the amount of a shift.
fn shift_operands(expression: &Expression) -> Option<(Handle<Expression>, Handle<Expression>)> {
    match *expression {
        Expression::Binary {
            op: BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight,
            left,
            right,
        } => Some((left, right)),
        _ => None,
    }
}

/// Whether an amount is known to be less than `bits`, a power of two.
fn is_below(amount: Handle<Expression>, bits: u32, expressions: &Arena<Expression>) -> bool {
    match expressions[amount] {
        Expression::Literal(Literal::U32(amount)) => amount < bits,
        Expression::Splat { value, .. } => is_below(value, bits, expressions),
        Expression::Compose { ref components, .. } => {
            let mut components = components.iter();
            components.all(|component| is_below(*component, bits, expressions))
        }
        Expression::Binary {
            op: BinaryOperator::And,
            left,
            right,
        } => [left, right].iter().any(|operand| {
            // Only one level is followed: this is called for every shift of a program.
            match expressions[*operand] {
                Expression::Splat { value, .. } => is_literal_below(value, bits, expressions),
                _ => is_literal_below(*operand, bits, expressions),
            }
        }),
        _ => false,
    }
}

fn is_literal_below(
    expression: Handle<Expression>,
    bits: u32,
    expressions: &Arena<Expression>,
) -> bool {
    matches!(expressions[expression], Expression::Literal(Literal::U32(value)) if value < bits)
}

/// An operation inserted before an expression, on its operand.
enum OperandFix {
    /// A conversion of the same signedness; the expression becomes a bitcast.
    Widen(Expression),
    /// Clamp, component-wise.
    Clamp([Literal; 2], Option<VectorSize>),
    /// Bitwise and with a mask, component-wise.
    Mask(Literal, Option<VectorSize>),
}

impl OperandFix {
    fn literals(&self) -> &[Literal] {
        match self {
            Self::Widen(_) => &[],
            Self::Clamp(limits, _) => limits,
            Self::Mask(mask, _) => std::slice::from_ref(mask),
        }
    }
}

/// Types of the expressions of a function.
struct ExpressionTypes<'a> {
    expressions: &'a Arena<Expression>,
    info: &'a FunctionInfo,
    types: &'a UniqueArena<Type>,
}

impl ExpressionTypes<'_> {
    fn type_of(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(self.types)
    }

    fn size_of(&self, expression: Handle<Expression>) -> Option<VectorSize> {
        match *self.type_of(expression) {
            TypeInner::Vector { size, .. } => Some(size),
            _ => None,
        }
    }

    fn fix(&self, expression: &Expression) -> Option<OperandFix> {
        if let Some((number, amount)) = shift_operands(expression) {
            let bits = 8 * u32::from(self.type_of(number).scalar_width()?);
            let mask = || OperandFix::Mask(Literal::U32(bits - 1), self.size_of(amount));
            return (!is_below(amount, bits, self.expressions)).then(mask);
        }
        let Expression::As {
            expr,
            kind: to @ (ScalarKind::Sint | ScalarKind::Uint),
            convert: Some(width),
        } = *expression
        else {
            return None;
        };
        let from = self.type_of(expr).scalar()?;
        let is_integer = matches!(from.kind, ScalarKind::Sint | ScalarKind::Uint);
        if is_integer && from.kind != to && from.width < width {
            return Some(OperandFix::Widen(Expression::As {
                expr,
                kind: from.kind,
                convert: Some(width),
            }));
        }
        // All `f16` values fit into the other integer types, or naga's writer clamps them correctly.
        let is_short = from == Scalar::F16 && to == ScalarKind::Sint && width == 2;
        is_short.then(|| OperandFix::Clamp(SHORT_LIMITS, self.size_of(expr)))
    }
}

/// The smallest and the largest `f16` in the range of `i16`.
const SHORT_LIMITS: [Literal; 2] = [
    Literal::F16(half::f16::from_f32_const(-32768.0)),
    Literal::F16(half::f16::from_f32_const(32752.0)),
];

fn rewrite_function(
    function: &mut Function,
    info: &FunctionInfo,
    types: &UniqueArena<Type>,
) -> bool {
    let expressions = std::mem::take(&mut function.expressions);
    let known = ExpressionTypes {
        expressions: &expressions,
        info,
        types,
    };
    let mut copy = ArenaCopy::default();
    let mut changes = false;
    for (_, expression) in expressions.iter() {
        if let Some(fix) = known.fix(expression) {
            changes = true;
            copy.declare(fix.literals());
        }
    }
    if !changes {
        function.expressions = expressions;
        return false;
    }
    for (handle, expression) in expressions.iter() {
        let fix = known.fix(expression);
        copy.add(expression, fix, expressions.get_span(handle));
    }
    let ArenaCopy { places, copied, .. } = copy;
    function.expressions = copied;
    let moved = |used: &mut Handle<Expression>| *used = places[used.index()].last;
    for (_, local) in function.local_variables.iter_mut() {
        local.init.iter_mut().for_each(moved);
    }
    let names = std::mem::take(&mut function.named_expressions);
    let names = names.into_iter();
    function.named_expressions = names
        .map(|(handle, name)| (places[handle.index()].last, name))
        .collect();
    operands::all_of_block_mut(&mut function.body, &mut { moved }, &mut |range| {
        if let Some((first, last)) = range.first_and_last() {
            let (first, last) = (places[first.index()].first, places[last.index()].last);
            *range = Range::new_from_bounds(first, last);
        }
    });
    true
}

/// The new handles of an expression and of its inserted operands.
struct CopiedExpression {
    /// The first of the expressions inserted for it.
    first: Handle<Expression>,
    last: Handle<Expression>,
}

/// The new expression arena of a function.
#[derive(Default)]
struct ArenaCopy {
    copied: Arena<Expression>,
    /// Indexed by old expression.
    places: Vec<CopiedExpression>,
    literals: Vec<(Literal, Handle<Expression>)>,
}

impl ArenaCopy {
    /// Literals must not be emitted, so they come before all other expressions.
    fn declare(&mut self, literals: &[Literal]) {
        for literal in literals {
            if !self.literals.iter().any(|(known, _)| known == literal) {
                let expression = Expression::Literal(*literal);
                let place = self.copied.append(expression, Span::UNDEFINED);
                self.literals.push((*literal, place));
            }
        }
    }

    /// A declared literal, splatted to vector size.
    fn literal(
        &mut self,
        literal: Literal,
        size: Option<VectorSize>,
        span: Span,
    ) -> Option<Handle<Expression>> {
        let known = self.literals.iter().find(|(known, _)| *known == literal);
        let value = known?.1;
        Some(match size {
            Some(size) => self.copied.append(Expression::Splat { size, value }, span),
            None => value,
        })
    }

    fn add(&mut self, expression: &Expression, fix: Option<OperandFix>, span: Span) {
        let mut last = expression.clone();
        operands::of_expression_mut(&mut last, |used| *used = self.places[used.index()].last);
        let first = fix.and_then(|fix| self.prepare(&mut last, fix, span));
        let last = self.copied.append(last, span);
        let first = first.unwrap_or(last);
        self.places.push(CopiedExpression { first, last });
    }

    /// Inserts the operation on an operand. Returns the first inserted expression.
    fn prepare(
        &mut self,
        last: &mut Expression,
        fix: OperandFix,
        span: Span,
    ) -> Option<Handle<Expression>> {
        match (fix, last) {
            (OperandFix::Widen(mut half), Expression::As { expr, convert, .. }) => {
                if let Expression::As { expr: operand, .. } = &mut half {
                    *operand = *expr;
                }
                (*expr, *convert) = (self.copied.append(half, span), None);
                Some(*expr)
            }
            (OperandFix::Clamp([low, high], size), Expression::As { expr, .. }) => {
                let low = self.literal(low, size, span)?;
                let clamped = Expression::Math {
                    fun: MathFunction::Clamp,
                    arg: *expr,
                    arg1: Some(low),
                    arg2: Some(self.literal(high, size, span)?),
                    arg3: None,
                };
                *expr = self.copied.append(clamped, span);
                Some(if size.is_some() { low } else { *expr })
            }
            (OperandFix::Mask(mask, size), Expression::Binary { right, .. }) => {
                let mask = self.literal(mask, size, span)?;
                let masked = Expression::Binary {
                    op: BinaryOperator::And,
                    left: *right,
                    right: mask,
                };
                *right = self.copied.append(masked, span);
                Some(if size.is_some() { mask } else { *right })
            }
            _ => None,
        }
    }
}

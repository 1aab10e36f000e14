//! Expressions that naga's writer gets wrong, said in a way that it gets right.
//!
//! - Integers that become wider and change their sign at once: WGSL extends by the sign of the number, naga's
//!   writer by the sign of the result's type. Such a conversion becomes two: one that keeps the sign, and one
//!   that only calls the bits by another name.
//! - `f16` to `i16`: what does not fit becomes the nearest `f16` that does, where naga's writer only keeps it
//!   in the range of `f16`. Such a number is brought into its limits first.
//! - Shifts by as many bits as a number has, or more: WGSL takes the amount modulo the width, and SPIR-V has no
//!   result then. Such an amount loses its higher bits first, unless it is known to have none.
//!
//! In: a module with its analysis. Out: the same, with that changed.

use anywarp_program::naga::valid::{FunctionInfo, ModuleInfo};
use anywarp_program::naga::{
    Arena, BinaryOperator, Expression, Function, Handle, Literal, MathFunction, Module, Range,
    Scalar, ScalarKind, Span, Type, TypeInner, UniqueArena, VectorSize,
};

use crate::write::operands;

/// Changes every such expression. Says whether there were any: then the analysis must be made again.
pub(super) fn restate(module: &mut Module, info: &ModuleInfo) -> bool {
    let mut changed = false;
    for (handle, function) in module.functions.iter_mut() {
        changed |= in_function(function, &info[handle], &module.types);
    }
    for (index, entry) in module.entry_points.iter_mut().enumerate() {
        let info = info.get_entry_point(index);
        changed |= in_function(&mut entry.function, info, &module.types);
    }
    changed
}

/// Whether a shift might be by more bits than a number of 32 has.
pub(super) fn is_far_shift(expression: &Expression, expressions: &Arena<Expression>) -> bool {
    shifted(expression).is_some_and(|(_, amount)| !is_below(amount, 32, expressions))
}

/// What a shift takes: the number and the amount.
fn shifted(expression: &Expression) -> Option<(Handle<Expression>, Handle<Expression>)> {
    match *expression {
        Expression::Binary {
            op: BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight,
            left,
            right,
        } => Some((left, right)),
        _ => None,
    }
}

/// Whether an amount is known to be below so many bits, a power of two.
fn is_below(amount: Handle<Expression>, bits: u32, expressions: &Arena<Expression>) -> bool {
    match expressions[amount] {
        Expression::Literal(Literal::U32(amount)) => amount < bits,
        Expression::Splat { value, .. } => is_below(value, bits, expressions),
        Expression::Compose { ref components, .. } => {
            let mut components = components.iter();
            components.all(|it| is_below(*it, bits, expressions))
        }
        Expression::Binary {
            op: BinaryOperator::And,
            left,
            right,
        } => [left, right].iter().any(|it| {
            // Deeper ones are not followed: this is asked of every shift of a program.
            match expressions[*it] {
                Expression::Splat { value, .. } => is_literal_below(value, bits, expressions),
                _ => is_literal_below(*it, bits, expressions),
            }
        }),
        _ => false,
    }
}

fn is_literal_below(it: Handle<Expression>, bits: u32, expressions: &Arena<Expression>) -> bool {
    matches!(expressions[it], Expression::Literal(Literal::U32(value)) if value < bits)
}

/// What has to be done to an operand of an expression before it.
enum Before {
    /// It is converted by another conversion, whose result only changes its name.
    Widen(Expression),
    /// It is brought into limits, in every component.
    Clamp([Literal; 2], Option<VectorSize>),
    /// It keeps only the bits of a mask, in every component.
    Mask(Literal, Option<VectorSize>),
}

impl Before {
    fn literals(&self) -> &[Literal] {
        match self {
            Self::Widen(_) => &[],
            Self::Clamp(limits, _) => limits,
            Self::Mask(mask, _) => std::slice::from_ref(mask),
        }
    }
}

/// What a function knows of its expressions.
struct Known<'a> {
    expressions: &'a Arena<Expression>,
    info: &'a FunctionInfo,
    types: &'a UniqueArena<Type>,
}

impl Known<'_> {
    fn type_of(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(self.types)
    }

    fn size_of(&self, expression: Handle<Expression>) -> Option<VectorSize> {
        match *self.type_of(expression) {
            TypeInner::Vector { size, .. } => Some(size),
            _ => None,
        }
    }

    fn before(&self, expression: &Expression) -> Option<Before> {
        if let Some((number, amount)) = shifted(expression) {
            let bits = 8 * u32::from(self.type_of(number).scalar_width()?);
            let mask = || Before::Mask(Literal::U32(bits - 1), self.size_of(amount));
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
            return Some(Before::Widen(Expression::As {
                expr,
                kind: from.kind,
                convert: Some(width),
            }));
        }
        // Every `f16` fits into the other integers, or naga's writer knows their limits.
        let is_short = from == Scalar::F16 && to == ScalarKind::Sint && width == 2;
        is_short.then(|| Before::Clamp(SHORT_LIMITS, self.size_of(expr)))
    }
}

/// The least and the greatest `f16` that is an `i16`.
const SHORT_LIMITS: [Literal; 2] = [
    Literal::F16(half::f16::from_f32_const(-32768.0)),
    Literal::F16(half::f16::from_f32_const(32752.0)),
];

fn in_function(function: &mut Function, info: &FunctionInfo, types: &UniqueArena<Type>) -> bool {
    let expressions = std::mem::take(&mut function.expressions);
    let known = Known {
        expressions: &expressions,
        info,
        types,
    };
    let mut copy = Copy::default();
    let mut changes = false;
    for (_, expression) in expressions.iter() {
        if let Some(before) = known.before(expression) {
            changes = true;
            copy.declare(before.literals());
        }
    }
    if !changes {
        function.expressions = expressions;
        return false;
    }
    for (handle, expression) in expressions.iter() {
        let before = known.before(expression);
        copy.add(expression, before, expressions.get_span(handle));
    }
    let Copy { places, copied, .. } = copy;
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

/// Where an expression is in the copy.
struct Place {
    /// What stands before it and belongs to it begins here.
    first: Handle<Expression>,
    last: Handle<Expression>,
}

/// The expressions of a function, with what was put between them.
#[derive(Default)]
struct Copy {
    copied: Arena<Expression>,
    /// Where each expression is now.
    places: Vec<Place>,
    literals: Vec<(Literal, Handle<Expression>)>,
}

impl Copy {
    /// Literals must not be inside of what is emitted, so they come before all of it.
    fn declare(&mut self, literals: &[Literal]) {
        for literal in literals {
            if !self.literals.iter().any(|(known, _)| known == literal) {
                let expression = Expression::Literal(*literal);
                let place = self.copied.append(expression, Span::UNDEFINED);
                self.literals.push((*literal, place));
            }
        }
    }

    /// A literal that was declared, in every component.
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

    fn add(&mut self, expression: &Expression, before: Option<Before>, span: Span) {
        let mut last = expression.clone();
        operands::of_expression_mut(&mut last, |used| *used = self.places[used.index()].last);
        let first = before.and_then(|before| self.prepare(&mut last, before, span));
        let last = self.copied.append(last, span);
        let first = first.unwrap_or(last);
        self.places.push(Place { first, last });
    }

    /// Puts what comes before an expression there, and has the expression take that. Says where it begins.
    fn prepare(
        &mut self,
        last: &mut Expression,
        before: Before,
        span: Span,
    ) -> Option<Handle<Expression>> {
        match (before, last) {
            (Before::Widen(mut half), Expression::As { expr, convert, .. }) => {
                if let Expression::As { expr: operand, .. } = &mut half {
                    *operand = *expr;
                }
                (*expr, *convert) = (self.copied.append(half, span), None);
                Some(*expr)
            }
            (Before::Clamp([low, high], size), Expression::As { expr, .. }) => {
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
            (Before::Mask(mask, size), Expression::Binary { right, .. }) => {
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

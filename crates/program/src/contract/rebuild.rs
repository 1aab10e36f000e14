//! Rebuilds a function according to a [`Plan`].
//!
//! In: a function and its plan. Out: the function with a new expression arena. Expressions are numbered by position and
//! operands come before their uses, so inserting negations and removing products renumbers all expressions.

use naga::{
    Arena, BinaryOperator, Expression, Function, Handle, MathFunction, Range, Span, UnaryOperator,
    VectorSize,
};

use super::plan::{Dot, FactorShape, Fusion, Plan, Rewrite, Sign};
use crate::operands;

/// Applies a plan to a function.
pub(super) fn rebuild(function: &mut Function, plan: &Plan) {
    let old = std::mem::take(&mut function.expressions);
    let mut rebuilt = RebuiltArena::default();
    for (handle, expression) in old.iter() {
        rebuilt.starts.push(rebuilt.expressions.len() as u32);
        let span = old.get_span(handle);
        let place = match plan.rewrite(handle) {
            Rewrite::Remove => None,
            Rewrite::Keep => {
                let mut expression = expression.clone();
                operands::of_expression_mut(&mut expression, |operand| {
                    *operand = rebuilt.moved(*operand);
                });
                Some(rebuilt.expressions.append(expression, span))
            }
            Rewrite::Fuse(fusion) => Some(rebuilt.fuse(&fusion, span)),
            Rewrite::Dot(dot) => Some(rebuilt.dot(&dot, span)),
        };
        rebuilt.moved.push(place);
    }
    rebuilt.starts.push(rebuilt.expressions.len() as u32);

    for (_, local) in function.local_variables.iter_mut() {
        local
            .init
            .iter_mut()
            .for_each(|init| *init = rebuilt.moved(*init));
    }
    let names = std::mem::take(&mut function.named_expressions).into_iter();
    function.named_expressions = names
        .filter_map(|(handle, name)| Some((rebuilt.moved[handle.index()]?, name)))
        .collect();
    operands::all_of_block_mut(
        &mut function.body,
        &mut |operand| *operand = rebuilt.moved(*operand),
        &mut |range| {
            let old = range.index_range();
            let [start, end] = [old.start, old.end].map(|index| rebuilt.starts[index as usize]);
            *range = Range::from_index_range(start..end, &rebuilt.expressions);
        },
    );
    function.expressions = rebuilt.expressions;
}

/// The new arena, and the mapping from old to new expressions.
#[derive(Default)]
struct RebuiltArena {
    expressions: Arena<Expression>,
    /// The new handle of each old expression; `None` for removed products.
    moved: Vec<Option<Handle<Expression>>>,
    /// Length of the new arena before each old expression, and at the end. Everything inserted for an expression is
    /// emitted with it.
    starts: Vec<u32>,
}

impl RebuiltArena {
    fn moved(&self, old: Handle<Expression>) -> Handle<Expression> {
        self.moved[old.index()].expect("what is used comes before, and a product that went is not")
    }

    fn fuse(&mut self, fusion: &Fusion, span: Span) -> Handle<Expression> {
        let mut factors = fusion.factors.map(|(factor, _)| self.moved(factor));
        let mut other = self.moved(fusion.other);
        match fusion.sign {
            Sign::Plus => {}
            Sign::Minus => other = self.negate(other, span),
            Sign::From => {
                // Negating a scalar is cheaper than negating a vector.
                let scalar = fusion
                    .factors
                    .map(|(_, spread)| spread == FactorShape::Scalar);
                let place = usize::from(scalar[1]);
                factors[place] = self.negate(factors[place], span);
            }
        }
        let factors = std::array::from_fn(|place| {
            self.spread(factors[place], fusion.factors[place].1, fusion.size, span)
        });
        self.fma(factors, other, span)
    }

    /// Expands a `dot`: the first product, then one multiply-add per remaining component.
    fn dot(&mut self, dot: &Dot, span: Span) -> Handle<Expression> {
        let vectors = dot.vectors.map(|vector| self.moved(vector));
        let [left, right] = self.components(vectors, 0, span);
        let op = BinaryOperator::Multiply;
        let first = Expression::Binary { op, left, right };
        let mut sum = self.expressions.append(first, span);
        for index in 1..dot.size as u32 {
            let factors = self.components(vectors, index, span);
            sum = self.fma(factors, sum, span);
        }
        sum
    }

    fn components(
        &mut self,
        vectors: [Handle<Expression>; 2],
        index: u32,
        span: Span,
    ) -> [Handle<Expression>; 2] {
        vectors.map(|base| {
            let component = Expression::AccessIndex { base, index };
            self.expressions.append(component, span)
        })
    }

    fn fma(
        &mut self,
        [arg, factor]: [Handle<Expression>; 2],
        other: Handle<Expression>,
        span: Span,
    ) -> Handle<Expression> {
        let fused = Expression::Math {
            fun: MathFunction::Fma,
            arg,
            arg1: Some(factor),
            arg2: Some(other),
            arg3: None,
        };
        self.expressions.append(fused, span)
    }

    fn negate(&mut self, expr: Handle<Expression>, span: Span) -> Handle<Expression> {
        let op = UnaryOperator::Negate;
        self.expressions
            .append(Expression::Unary { op, expr }, span)
    }

    fn spread(
        &mut self,
        value: Handle<Expression>,
        spread: FactorShape,
        size: Option<VectorSize>,
        span: Span,
    ) -> Handle<Expression> {
        match (spread, size) {
            (FactorShape::Scalar, Some(size)) => self
                .expressions
                .append(Expression::Splat { size, value }, span),
            _ => value,
        }
    }
}

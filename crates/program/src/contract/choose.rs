//! Which sums take which products into themselves.
//!
//! A product goes into all the sums that use it, if sums are all that uses it. Of a sum of two such products only
//! one can be taken, the first; the other one stays a product everywhere.

use naga::valid::FunctionInfo;
use naga::{
    BinaryOperator, Block, Expression, Function, Handle, MathFunction, Scalar, Statement, Type,
    TypeInner, UniqueArena, VectorSize,
};

use super::len;
use crate::operands;

/// How a sum takes its product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// The product and the other.
    Plus,
    /// The product less the other.
    Minus,
    /// The other less the product.
    From,
}

/// A sum that takes a product into itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fusion {
    /// The factors, and whether each has to be repeated for every component.
    pub(super) factors: [(Handle<Expression>, Spread); 2],
    pub(super) other: Handle<Expression>,
    pub(super) sign: Sign,
    /// Components of a vector.
    pub(super) size: Option<VectorSize>,
}

/// A factor beside the product that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// Of the product's type.
    Same,
    /// A scalar in the product of a vector.
    Scalar,
}

/// A `dot` that becomes the operations it is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dot {
    pub(super) vectors: [Handle<Expression>; 2],
    pub(super) size: VectorSize,
}

/// What becomes of the expressions of a function.
pub(super) struct Plan {
    /// For each expression.
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Stays,
    /// A product that is in all its sums.
    Goes,
    Fused(Fusion),
    Dot(Dot),
}

impl Plan {
    pub(super) fn step(&self, expression: Handle<Expression>) -> Step {
        self.steps[expression.index()]
    }

    /// `None` where nothing is fused.
    pub(super) fn of(
        function: &Function,
        info: &FunctionInfo,
        types: &UniqueArena<Type>,
    ) -> Option<Self> {
        let types = Types { info, types };
        let uses = Uses::of(function, &types);
        if uses.sums.is_empty() && uses.dots.is_empty() {
            return None;
        }
        let losers = uses.losers();
        let is_taken = |it: Handle<Expression>| uses.goes(it) && !losers[it.index()];
        let mut steps = vec![Step::Stays; len(function)];
        for sum in &uses.sums {
            let taken = sum.operands.iter().position(|it| is_taken(*it));
            let Some(place) = taken else { continue };
            let (product, other) = (sum.operands[place], sum.operands[1 - place]);
            let Some(factors) = types.factors(function, product) else {
                continue;
            };
            let sign = match (sum.subtracts, place) {
                (false, _) => Sign::Plus,
                (true, 0) => Sign::Minus,
                (true, _) => Sign::From,
            };
            steps[product.index()] = Step::Goes;
            steps[sum.handle.index()] = Step::Fused(Fusion {
                factors,
                other,
                sign,
                size: types.size(sum.handle),
            });
        }
        for (handle, dot) in &uses.dots {
            steps[handle.index()] = Step::Dot(*dot);
        }
        let changes = steps.iter().any(|it| !matches!(it, Step::Stays));
        changes.then_some(Self { steps })
    }
}

/// A sum or a difference, at least one operand of which is a product.
struct Sum {
    handle: Handle<Expression>,
    operands: [Handle<Expression>; 2],
    subtracts: bool,
}

/// Who uses what.
struct Uses {
    /// How often each expression is used.
    all: Vec<u32>,
    /// How often each product is used by sums that could take it.
    by_sums: Vec<u32>,
    sums: Vec<Sum>,
    dots: Vec<(Handle<Expression>, Dot)>,
}

impl Uses {
    fn of(function: &Function, types: &Types<'_>) -> Self {
        let mut uses = Self {
            all: vec![0; len(function)],
            by_sums: vec![0; len(function)],
            sums: Vec::new(),
            dots: Vec::new(),
        };
        let mut emitted = vec![false; len(function)];
        uses.block(&function.body, &mut emitted);
        let is_product =
            |it: Handle<Expression>| emitted[it.index()] && types.factors(function, it).is_some();
        for (handle, expression) in function.expressions.iter() {
            operands::of_expression(expression, |it| uses.all[it.index()] += 1);
            let dot = types.dot(expression).filter(|_| emitted[handle.index()]);
            uses.dots.extend(dot.map(|dot| (handle, dot)));
            let Expression::Binary { op, left, right } = *expression else {
                continue;
            };
            let subtracts = match op {
                BinaryOperator::Add => false,
                BinaryOperator::Subtract => true,
                _ => continue,
            };
            // Only what is emitted is computed when the program runs.
            if left == right || !emitted[handle.index()] || !types.are_alike([handle, left, right])
            {
                continue;
            }
            let operands = [left, right];
            let products = operands.map(is_product);
            for (operand, _) in operands.iter().zip(products).filter(|(_, is)| *is) {
                uses.by_sums[operand.index()] += 1;
            }
            if products.contains(&true) {
                uses.sums.push(Sum {
                    handle,
                    operands,
                    subtracts,
                });
            }
        }
        uses
    }

    fn block(&mut self, block: &Block, emitted: &mut [bool]) {
        for statement in block {
            operands::of_statement(statement, |it| self.all[it.index()] += 1);
            match statement {
                Statement::Emit(range) => {
                    range.clone().for_each(|it| emitted[it.index()] = true);
                }
                Statement::Loop {
                    break_if: Some(condition),
                    ..
                } => self.all[condition.index()] += 1,
                _ => {}
            }
            for inner in operands::blocks_of(statement) {
                self.block(inner, emitted);
            }
        }
    }

    /// Whether an expression is a product that only sums use.
    fn goes(&self, expression: Handle<Expression>) -> bool {
        let index = expression.index();
        self.by_sums[index] > 0 && self.by_sums[index] == self.all[index]
    }

    /// Products that stay because a sum takes another.
    fn losers(&self) -> Vec<bool> {
        let mut losers = vec![false; self.all.len()];
        for sum in &self.sums {
            let [left, right] = sum.operands;
            let could = |it: Handle<Expression>| self.goes(it) && !losers[it.index()];
            if could(left) && could(right) {
                losers[right.index()] = true;
            }
        }
        losers
    }
}

/// The types of a function's expressions.
struct Types<'a> {
    info: &'a FunctionInfo,
    types: &'a UniqueArena<Type>,
}

impl Types<'_> {
    fn inner(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(self.types)
    }

    fn size(&self, expression: Handle<Expression>) -> Option<VectorSize> {
        match *self.inner(expression) {
            TypeInner::Vector { size, .. } => Some(size),
            _ => None,
        }
    }

    /// Whether all are `f32`, or vectors of it of one size.
    fn are_alike(&self, expressions: [Handle<Expression>; 3]) -> bool {
        let sizes = expressions.map(|it| self.is_float(it).then(|| self.size(it)));
        sizes[0].is_some() && sizes[1] == sizes[0] && sizes[2] == sizes[0]
    }

    fn is_float(&self, expression: Handle<Expression>) -> bool {
        matches!(
            *self.inner(expression),
            TypeInner::Scalar(Scalar::F32)
                | TypeInner::Vector {
                    scalar: Scalar::F32,
                    ..
                }
        )
    }

    /// What a `dot` of such vectors takes.
    fn dot(&self, expression: &Expression) -> Option<Dot> {
        let Expression::Math {
            fun: MathFunction::Dot,
            arg: first,
            arg1: Some(second),
            ..
        } = *expression
        else {
            return None;
        };
        let size = self.size(first).filter(|_| self.is_float(first));
        size.map(|size| Dot {
            vectors: [first, second],
            size,
        })
    }

    /// The factors of a product of scalars and vectors.
    fn factors(
        &self,
        function: &Function,
        product: Handle<Expression>,
    ) -> Option<[(Handle<Expression>, Spread); 2]> {
        let Expression::Binary {
            op: BinaryOperator::Multiply,
            left,
            right,
        } = function.expressions[product]
        else {
            return None;
        };
        let are_floats = self.is_float(left) && self.is_float(right);
        let size = self.size(product);
        are_floats.then(|| {
            [left, right].map(|it| match self.size(it) == size {
                true => (it, Spread::Same),
                false => (it, Spread::Scalar),
            })
        })
    }
}

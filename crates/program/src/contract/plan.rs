//! Selects the multiplications and additions to fuse.
//!
//! In: a function and its types. Out: a [`Plan`] with one [`Rewrite`] per expression, or `None` if nothing can be
//! fused. A product is fused into all additions that use it, provided that it has no other use. If both operands of an
//! addition are such products, the first is fused; the second stays a product in all its uses.

use naga::valid::FunctionInfo;
use naga::{
    BinaryOperator, Block, Expression, Function, Handle, MathFunction, Scalar, Statement, Type,
    TypeInner, UniqueArena, VectorSize,
};

use super::len;
use crate::{operands, walk};

/// Which operation a fused multiply-add computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// `product + other`.
    Plus,
    /// `product - other`.
    Minus,
    /// `other - product`.
    From,
}

/// An addition or subtraction fused with one of its operands, a product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fusion {
    /// The factors, and whether each is splatted to the vector size.
    pub(super) factors: [(Handle<Expression>, FactorShape); 2],
    pub(super) other: Handle<Expression>,
    pub(super) sign: Sign,
    /// Vector size; `None` for scalars.
    pub(super) size: Option<VectorSize>,
}

/// The shape of a factor relative to the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FactorShape {
    /// The type of the product.
    Same,
    /// A scalar factor of a vector product.
    Scalar,
}

/// A `dot` that is expanded into multiply-adds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dot {
    pub(super) vectors: [Handle<Expression>; 2],
    pub(super) size: VectorSize,
}

/// The rewrite of each expression of a function.
pub(super) struct Plan {
    /// Indexed by expression.
    rewrites: Vec<Rewrite>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Rewrite {
    Keep,
    /// A product that is fused into all its uses, and so removed.
    Remove,
    Fuse(Fusion),
    Dot(Dot),
}

impl Plan {
    pub(super) fn rewrite(&self, expression: Handle<Expression>) -> Rewrite {
        self.rewrites[expression.index()]
    }

    /// `None` if nothing is fused.
    pub(super) fn of(
        function: &Function,
        info: &FunctionInfo,
        types: &UniqueArena<Type>,
    ) -> Option<Self> {
        let types = ExpressionTypes { info, types };
        let uses = UseCounts::of(function, &types);
        if uses.sums.is_empty() && uses.dots.is_empty() {
            return None;
        }
        let unfused = uses.unfused();
        let is_taken =
            |operand: Handle<Expression>| uses.is_fusable(operand) && !unfused[operand.index()];
        let mut rewrites = vec![Rewrite::Keep; len(function)];
        for sum in &uses.sums {
            let taken = sum.operands.iter().position(|operand| is_taken(*operand));
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
            rewrites[product.index()] = Rewrite::Remove;
            rewrites[sum.handle.index()] = Rewrite::Fuse(Fusion {
                factors,
                other,
                sign,
                size: types.size(sum.handle),
            });
        }
        for (handle, dot) in &uses.dots {
            rewrites[handle.index()] = Rewrite::Dot(*dot);
        }
        let changes = rewrites
            .iter()
            .any(|rewrite| !matches!(rewrite, Rewrite::Keep));
        changes.then_some(Self { rewrites })
    }
}

/// An addition or subtraction with at least one product as an operand.
struct Sum {
    handle: Handle<Expression>,
    operands: [Handle<Expression>; 2],
    subtracts: bool,
}

/// Use counts of the expressions of a function.
struct UseCounts {
    /// Number of uses of each expression.
    all: Vec<u32>,
    /// Number of uses of each product as an operand of an addition that could fuse it.
    by_sums: Vec<u32>,
    sums: Vec<Sum>,
    dots: Vec<(Handle<Expression>, Dot)>,
}

impl UseCounts {
    fn of(function: &Function, types: &ExpressionTypes<'_>) -> Self {
        let mut uses = Self {
            all: vec![0; len(function)],
            by_sums: vec![0; len(function)],
            sums: Vec::new(),
            dots: Vec::new(),
        };
        let mut emitted = vec![false; len(function)];
        uses.count_statements(&function.body, &mut emitted);
        let is_product = |handle: Handle<Expression>| {
            emitted[handle.index()] && types.factors(function, handle).is_some()
        };
        for (handle, expression) in function.expressions.iter() {
            operands::of_expression(expression, |operand| uses.all[operand.index()] += 1);
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
            // Only emitted expressions are evaluated at run time.
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

    /// Counts the uses by statements, and marks the emitted expressions.
    fn count_statements(&mut self, body: &Block, emitted: &mut [bool]) {
        for statement in walk::statements(body) {
            operands::of_statement(statement, |used| self.all[used.index()] += 1);
            match statement {
                Statement::Emit(range) => {
                    for expression in range.clone() {
                        emitted[expression.index()] = true;
                    }
                }
                Statement::Loop {
                    break_if: Some(condition),
                    ..
                } => self.all[condition.index()] += 1,
                _ => {}
            }
        }
    }

    /// Whether all uses of an expression are additions that can fuse it.
    fn is_fusable(&self, expression: Handle<Expression>) -> bool {
        let index = expression.index();
        self.by_sums[index] > 0 && self.by_sums[index] == self.all[index]
    }

    /// Products that are not fused, because an addition already fuses its other operand.
    fn unfused(&self) -> Vec<bool> {
        let mut unfused = vec![false; self.all.len()];
        for sum in &self.sums {
            let [left, right] = sum.operands;
            let could =
                |operand: Handle<Expression>| self.is_fusable(operand) && !unfused[operand.index()];
            if could(left) && could(right) {
                unfused[right.index()] = true;
            }
        }
        unfused
    }
}

/// Types of the expressions of a function.
struct ExpressionTypes<'a> {
    info: &'a FunctionInfo,
    types: &'a UniqueArena<Type>,
}

impl ExpressionTypes<'_> {
    fn inner(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(self.types)
    }

    fn size(&self, expression: Handle<Expression>) -> Option<VectorSize> {
        match *self.inner(expression) {
            TypeInner::Vector { size, .. } => Some(size),
            _ => None,
        }
    }

    /// Whether all three are `f32`, or `f32` vectors of the same size.
    fn are_alike(&self, expressions: [Handle<Expression>; 3]) -> bool {
        let sizes = expressions.map(|handle| self.is_float(handle).then(|| self.size(handle)));
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

    /// The operands of a `dot` of `f32` vectors.
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

    /// The factors of a product of `f32` scalars and vectors.
    fn factors(
        &self,
        function: &Function,
        product: Handle<Expression>,
    ) -> Option<[(Handle<Expression>, FactorShape); 2]> {
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
            [left, right].map(|factor| {
                if self.size(factor) == size {
                    (factor, FactorShape::Same)
                } else {
                    (factor, FactorShape::Scalar)
                }
            })
        })
    }
}

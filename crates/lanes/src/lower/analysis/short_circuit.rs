//! Short-circuit operators that are cheaper to evaluate in all lanes than to branch around (speculation).
//!
//! In: a function. Out: the `if` statements that naga makes of `a && b` and `a || b`, and others of this form: both
//! sides assign to the same `bool` variable and do nothing else but evaluate a few cheap expressions without side
//! effects. Where the condition is varying, lowering evaluates both sides in all active lanes and combines masks.
//!
//! Where one side is not cheap but the other only assigns a constant, lowering assigns the constant in all active lanes
//! first, and branches around one side only.
//!
//! What always holds: a side that all lanes execute reads no memory at an address that depends on the lane, has no division and no
//! transcendental function, and assigns to no variable that lanes which do not take it may still read.

use std::collections::HashMap;

use anywarp_program::work::{Meter, OverBudget};
use anywarp_program::{operands, walk};
use naga::{
    AddressSpace, BinaryOperator, Block, Expression, Function, Handle, LocalVariable, MathFunction,
    Module, ScalarKind, Statement, TypeInner,
};

use crate::lower::analysis::liveness::LiveSets;

/// The most expressions that are evaluated for lanes that do not need them.
const MAX_EXPRESSIONS: usize = 32;

/// The last statement of a side: assigns an expression to a variable.
#[derive(Clone, Copy)]
pub(in crate::lower) struct Assignment {
    pub(in crate::lower) pointer: Handle<Expression>,
    pub(in crate::lower) value: Handle<Expression>,
}

/// The short-circuit operators of a function.
#[derive(Default)]
pub(in crate::lower) struct ShortCircuits {
    /// By `if` statement: how many expressions both sides evaluate.
    statements: HashMap<*const Statement, usize>,
    /// By other `if` statements: the side that only assigns a constant, to a variable that the other side assigns last
    /// and does not mention before.
    constant_sides: HashMap<*const Statement, usize>,
}

impl ShortCircuits {
    pub(in crate::lower) fn of(
        module: &Module,
        function: &Function,
        liveness: &LiveSets,
        meter: &Meter,
    ) -> Result<Self, OverBudget> {
        let mut search = Search {
            module,
            function,
            liveness,
            meter,
            found: Self::default(),
        };
        search.block(&function.body)?;
        Ok(search.found)
    }

    /// Whether a statement is such an operator.
    pub(in crate::lower) fn contains(&self, statement: &Statement) -> bool {
        self.statements.contains_key(&std::ptr::from_ref(statement))
    }

    /// The side of an `if` that only assigns a constant, which the other side may overwrite.
    pub(in crate::lower) fn constant_side(&self, statement: &Statement) -> Option<usize> {
        let key = std::ptr::from_ref(statement);
        self.constant_sides.get(&key).copied()
    }
}

/// The assignment at the end of a side, and the statements before it.
pub(in crate::lower) fn split(side: &[Statement]) -> Option<(&[Statement], Assignment)> {
    let (last, before) = side.split_last()?;
    match *last {
        Statement::Store { pointer, value } => Some((before, Assignment { pointer, value })),
        _ => None,
    }
}

struct Search<'a> {
    module: &'a Module,
    function: &'a Function,
    liveness: &'a LiveSets,
    meter: &'a Meter,
    found: ShortCircuits,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) -> Result<(), OverBudget> {
        self.meter.tick(block.len() as u64)?;
        for statement in block {
            for inner in operands::blocks_of(statement) {
                self.block(inner)?;
            }
            if let Statement::If { accept, reject, .. } = statement {
                let (key, sides) = (std::ptr::from_ref(statement), [&**accept, &**reject]);
                if let Some(expressions) = self.operator(statement, sides) {
                    self.found.statements.insert(key, expressions);
                } else if let Some(side) = self.constant_side(sides)? {
                    self.found.constant_sides.insert(key, side);
                }
            }
        }
        Ok(())
    }

    fn constant_side(&self, sides: [&[Statement]; 2]) -> Result<Option<usize>, OverBudget> {
        for side in [0, 1] {
            if let [Statement::Store { pointer, value }] = *sides[side]
                && let Some(local) = self.truth(pointer)
                && let Expression::Literal(_) = self.function.expressions[value]
                && let Some((before, other)) = split(sides[1 - side])
                && self.truth(other.pointer) == Some(local)
                && !self.mentions(before, local)?
            {
                return Ok(Some(side));
            }
        }
        Ok(None)
    }

    /// Whether statements mention a variable, or jump.
    fn mentions(
        &self,
        statements: &[Statement],
        local: Handle<LocalVariable>,
    ) -> Result<bool, OverBudget> {
        let is_variable = |handle: Handle<Expression>| matches!(self.function.expressions[handle], Expression::LocalVariable(it) if it == local);
        for statement in statements {
            let nested = operands::blocks_of(statement).flat_map(walk::statements);
            for inner in std::iter::once(statement).chain(nested) {
                self.meter.tick(1)?;
                let mut is_mentioned = matches!(
                    inner,
                    Statement::Break | Statement::Continue | Statement::Return { .. }
                );
                operands::of_statement(inner, |operand| is_mentioned |= is_variable(*operand));
                if let Statement::Emit(range) = inner {
                    for handle in range.clone() {
                        operands::of_expression(&self.function.expressions[handle], |operand| {
                            is_mentioned |= is_variable(*operand);
                        });
                    }
                }
                if is_mentioned {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The number of expressions of both sides, if the `if` is a short-circuit operator.
    fn operator(&self, statement: &Statement, sides: [&[Statement]; 2]) -> Option<usize> {
        let mut target = None;
        let mut expressions = 0;
        for (place, side) in sides.into_iter().enumerate() {
            let (before, assignment) = split(side)?;
            let local = self.truth(assignment.pointer)?;
            if *target.get_or_insert(local) != local {
                return None;
            }
            for inner in before {
                expressions += self.speculated(statement, place, inner)?;
            }
        }
        (expressions <= MAX_EXPRESSIONS).then_some(expressions)
    }

    /// The `bool` variable that a pointer refers to.
    fn truth(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        let Expression::LocalVariable(local) = self.function.expressions[pointer] else {
            return None;
        };
        let ty = self.function.local_variables[local].ty;
        match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Bool => Some(local),
            _ => None,
        }
    }

    /// The number of expressions of a statement in a side of an `if`, if all lanes may execute it.
    fn speculated(&self, outer: &Statement, side: usize, statement: &Statement) -> Option<usize> {
        match statement {
            Statement::Emit(range) => {
                let range = range.clone();
                let expressions = CheapExpressions::new(self.module, self.function);
                let is_cheap = range.clone().all(|it| expressions.contains(it));
                is_cheap.then(|| range.count())
            }
            Statement::If { accept, .. } => {
                let key = std::ptr::from_ref(statement);
                let expressions = *self.found.statements.get(&key)?;
                let (_, assignment) = split(accept)?;
                let local = self.truth(assignment.pointer)?;
                let kept = &self.liveness.of_statement(outer).inactive_live[side];
                (!kept.contains(local.index())).then_some(expressions)
            }
            _ => None,
        }
    }
}

/// The expressions of a function that are cheaper than a branch around them, and have no side effects.
pub(in crate::lower) struct CheapExpressions<'a> {
    module: &'a Module,
    function: &'a Function,
}

impl<'a> CheapExpressions<'a> {
    pub(in crate::lower) fn new(module: &'a Module, function: &'a Function) -> Self {
        Self { module, function }
    }

    pub(in crate::lower) fn contains(&self, handle: Handle<Expression>) -> bool {
        match self.function.expressions[handle] {
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::ZeroValue(_)
            | Expression::Compose { .. }
            | Expression::Splat { .. }
            | Expression::Swizzle { .. }
            | Expression::AccessIndex { .. }
            | Expression::Unary { .. }
            | Expression::Select { .. }
            | Expression::Relational { .. }
            | Expression::As { .. }
            | Expression::ArrayLength(_) => true,
            Expression::Binary { op, .. } => {
                !matches!(op, BinaryOperator::Divide | BinaryOperator::Modulo)
            }
            Expression::Math { fun, .. } => matches!(
                fun,
                MathFunction::Abs
                    | MathFunction::Min
                    | MathFunction::Max
                    | MathFunction::Clamp
                    | MathFunction::Saturate
                    | MathFunction::Floor
                    | MathFunction::Ceil
                    | MathFunction::Trunc
                    | MathFunction::Fract
                    | MathFunction::Dot
            ),
            Expression::Load { pointer } => self.is_cheap_load(pointer),
            _ => false,
        }
    }

    /// Whether a pointer refers to a number or a vector in a variable, at an address that is the same for all lanes.
    fn is_cheap_load(&self, pointer: Handle<Expression>) -> bool {
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

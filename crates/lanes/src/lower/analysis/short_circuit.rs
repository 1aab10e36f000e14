//! Short-circuit operators that are cheaper to evaluate in all lanes than to branch around (speculation).
//!
//! In: a function. Out: the `if` statements that naga makes of `a && b` and `a || b`, and others of this form: both
//! sides assign to the same `bool` variable and do nothing else but evaluate a few cheap expressions without side
//! effects. Where the condition is varying, lowering evaluates both sides in all active lanes and combines masks.
//!
//! Where one side is not cheap but the other only assigns a constant, lowering assigns the constant in all active lanes
//! first, and branches around one side only.
//!
//! What always holds: a side that all lanes execute has only expressions that may be evaluated speculatively
//! (`speculation`), and assigns to no variable that lanes which do not take it may still read.

use std::collections::HashMap;

use anywarp_program::work::{Meter, OverBudget};
use anywarp_program::{operands, walk};
use naga::valid::FunctionInfo;
use naga::{
    Block, Expression, Function, Handle, LocalVariable, Module, ScalarKind, Statement, TypeInner,
};

use crate::lower::analysis::liveness::LiveSets;
use crate::lower::analysis::speculation::SpeculationCosts;

/// The most instructions that are executed for lanes that do not need them. Expressions without instructions count as
/// one.
const MAX_COST: usize = 32;

/// The last statement of a side: assigns an expression to a variable.
#[derive(Clone, Copy)]
pub(in crate::lower) struct Assignment {
    pub(in crate::lower) pointer: Handle<Expression>,
    pub(in crate::lower) value: Handle<Expression>,
}

/// The short-circuit operators of a function.
#[derive(Default)]
pub(in crate::lower) struct ShortCircuits {
    /// By `if` statement: the cost of both sides.
    statements: HashMap<*const Statement, usize>,
    /// By other `if` statements: the side that only assigns a constant, to a variable that the other side assigns last
    /// and does not mention before.
    constant_sides: HashMap<*const Statement, usize>,
}

impl ShortCircuits {
    pub(in crate::lower) fn of(
        module: &Module,
        (function, info): (&Function, &FunctionInfo),
        liveness: &LiveSets,
        meter: &Meter,
    ) -> Result<Self, OverBudget> {
        let mut search = Search {
            module,
            function,
            costs: SpeculationCosts::new(module, function, info),
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
    costs: SpeculationCosts<'a>,
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
                if let Some(cost) = self.operator(statement, sides) {
                    self.found.statements.insert(key, cost);
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
        let is_variable = |handle: Handle<Expression>| {
            let expression = &self.function.expressions[handle];
            matches!(expression, Expression::LocalVariable(it) if *it == local)
        };
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

    /// The cost of both sides, if the `if` is a short-circuit operator.
    fn operator(&self, statement: &Statement, sides: [&[Statement]; 2]) -> Option<usize> {
        let mut target = None;
        let mut cost = 0;
        for (place, side) in sides.into_iter().enumerate() {
            let (before, assignment) = split(side)?;
            let local = self.truth(assignment.pointer)?;
            if *target.get_or_insert(local) != local {
                return None;
            }
            for inner in before {
                cost += self.speculated(statement, place, inner)?;
            }
        }
        (cost <= MAX_COST).then_some(cost)
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

    /// The cost of a statement in a side of an `if`, if all lanes may execute it.
    fn speculated(&self, outer: &Statement, side: usize, statement: &Statement) -> Option<usize> {
        match statement {
            Statement::Emit(range) => {
                let costs = range.clone().map(|it| Some(self.costs.of(it)?.max(1)));
                costs.sum()
            }
            Statement::If { accept, .. } => {
                let key = std::ptr::from_ref(statement);
                let cost = *self.found.statements.get(&key)?;
                let (_, assignment) = split(accept)?;
                let local = self.truth(assignment.pointer)?;
                let kept = &self.liveness.of_statement(outer).inactive_live[side];
                (!kept.contains(local.index())).then_some(cost)
            }
            _ => None,
        }
    }
}

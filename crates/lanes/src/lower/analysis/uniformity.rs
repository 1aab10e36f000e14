//! Uniformity analysis: which values and control flow are the same for every lane of a subgroup.
//!
//! In: a function, and which of its arguments are uniform. Out: which variables and expressions may be varying, and
//! which compound statements are divergent (lanes enter or leave them at different times). Algorithm: forward
//! data-flow analysis on the structured statements, repeated until a fixpoint; variables and statements only move
//! from uniform to varying (LLVM: UniformityAnalysis). The transfer functions of expressions are
//! [`anywarp_program::uniformity`], which also explains how this differs from WGSL's uniformity analysis.
//!
//! What always holds: the result is conservative, and lowering represents every expression that is uniform here as
//! a word or as lanes that are all equal.
//!
//! A variable becomes varying by a store of a varying value, or by a store under divergent control flow if inactive
//! lanes may still read it (temporal divergence,
//! [`LiveSet::inactive_live`](crate::lower::analysis::liveness::LiveSet::inactive_live)). Per-lane memory is always
//! varying: lanes that were inactive hold other values.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use anywarp_program::uniformity::{self, Transfer};
use anywarp_program::work::{Meter, OverBudget};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    AddressSpace, Block, CollectiveOperation, Expression, Function, Handle, Module, Statement,
};

use crate::lower::analysis::bit_set::Bits;
use crate::lower::analysis::liveness::{AFTER_CONTINUE, LOOP, LiveSets, roots};
use crate::lower::analysis::short_circuit::{self, ShortCircuits};
use crate::lower::calls::inlining::Plan;

/// How a function is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Role {
    /// The entry point: lanes that return are done.
    Entry,
    /// A callee: lanes that return continue in the caller.
    Called,
}

/// The result for one function and one uniformity of its arguments.
pub(in crate::lower) struct Analysis {
    pub(in crate::lower) liveness: Rc<LiveSets>,
    pub(in crate::lower) short_circuits: Rc<ShortCircuits>,
    /// Variables that may be varying.
    varying: Bits,
    /// Compound statements that lanes enter or leave at different times.
    divergent: HashSet<*const Statement>,
    /// Whether the result is uniform.
    pub(in crate::lower) has_uniform_result: bool,
    /// Whether there is a `return` in non-tail position.
    pub(in crate::lower) returns_early: bool,
    /// The calls, and for each argument whether it is uniform.
    pub(in crate::lower) calls: Vec<(Handle<Function>, Vec<bool>)>,
}

impl Analysis {
    /// Whether a variable may be varying.
    pub(in crate::lower) fn is_varying(&self, local: usize) -> bool {
        self.varying.contains(local)
    }

    /// Whether lanes enter or leave a compound statement at different times.
    pub(in crate::lower) fn is_divergent(&self, statement: &Statement) -> bool {
        self.divergent.contains(&std::ptr::from_ref(statement))
    }
}

/// The facts that do not depend on arguments.
#[derive(Clone)]
struct Flow {
    liveness: Rc<LiveSets>,
    short_circuits: Rc<ShortCircuits>,
    /// By expression: the local variable that it points into.
    roots: Rc<[Option<u32>]>,
}

/// Cache of the analyses of a module.
pub(in crate::lower) struct Analyses<'a> {
    module: &'a Module,
    meter: &'a Meter,
    plan: Rc<Plan>,
    infos: HashMap<*const Function, &'a FunctionInfo>,
    /// By function and variable: whether it is in per-lane memory, where loads are always varying.
    in_memory: HashMap<*const Function, Rc<[bool]>>,
    flows: HashMap<*const Function, Flow>,
    known: HashMap<(*const Function, Vec<bool>), Rc<Analysis>>,
}

impl<'a> Analyses<'a> {
    pub(in crate::lower) fn new(
        module: &'a Module,
        infos: &'a ModuleInfo,
        plan: Rc<Plan>,
        meter: &'a Meter,
    ) -> Self {
        let functions = module.functions.iter();
        let functions =
            functions.map(|(handle, function)| (std::ptr::from_ref(function), &infos[handle]));
        let entries = module.entry_points.iter().enumerate();
        let entries = entries.map(|(place, entry)| {
            (
                std::ptr::from_ref(&entry.function),
                infos.get_entry_point(place),
            )
        });
        Self {
            module,
            meter,
            plan,
            infos: functions.chain(entries).collect(),
            in_memory: HashMap::new(),
            flows: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Records which variables of a function are in memory. Analyses that were made before are forgotten.
    pub(in crate::lower) fn set_in_memory(
        &mut self,
        function: &'a Function,
        in_memory: Rc<[bool]>,
    ) {
        let key = std::ptr::from_ref(function);
        self.in_memory.insert(key, in_memory);
        self.known.clear();
    }

    /// By variable of a function: whether it is in memory.
    pub(in crate::lower) fn in_memory(&self, function: &'a Function) -> Rc<[bool]> {
        let key = std::ptr::from_ref(function);
        self.in_memory.get(&key).cloned().unwrap_or_default()
    }

    /// Analyses a function for this uniformity of its arguments.
    pub(in crate::lower) fn of(
        &mut self,
        function: &'a Function,
        role: Role,
        uniform: &[bool],
    ) -> Result<Rc<Analysis>, OverBudget> {
        let key = (std::ptr::from_ref(function), uniform.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let flow = self.flow(function)?;
        let mut varying = Bits::new(function.local_variables.len());
        let in_memory = self.in_memory(function);
        let in_memory = in_memory.iter().enumerate();
        let in_memory = in_memory.filter(|(_, is_in_memory)| **is_in_memory);
        for (local, _) in in_memory {
            varying.insert(local);
        }
        let mut walk = Walk {
            function,
            module: self.module,
            meter: self.meter,
            role,
            arguments: uniform,
            flow: &flow,
            uniform: vec![false; function.expressions.len()],
            varying,
            divergent: HashSet::new(),
            enclosing: Vec::new(),
            has_uniform_result: true,
            returns_early: false,
            calls: Vec::new(),
            changed: true,
        };
        while walk.changed {
            walk.changed = false;
            walk.has_uniform_result = true;
            walk.calls.clear();
            walk.block(&function.body, true, self)?;
        }
        let analysis = Rc::new(Analysis {
            varying: walk.varying,
            divergent: walk.divergent,
            has_uniform_result: walk.has_uniform_result && !walk.returns_early,
            returns_early: walk.returns_early,
            calls: walk.calls,
            liveness: flow.liveness.clone(),
            short_circuits: flow.short_circuits.clone(),
        });
        self.known.insert(key, analysis.clone());
        Ok(analysis)
    }

    fn flow(&mut self, function: &'a Function) -> Result<Flow, OverBudget> {
        let key = std::ptr::from_ref(function);
        if let Some(known) = self.flows.get(&key) {
            return Ok(known.clone());
        }
        let roots: Rc<[_]> = roots(function).into();
        let liveness = LiveSets::of(function, &roots, self.meter)?;
        let analysed = (function, self.infos[&key]);
        let short_circuits = ShortCircuits::of(self.module, analysed, &liveness, self.meter)?;
        let flow = Flow {
            liveness: Rc::new(liveness),
            short_circuits: Rc::new(short_circuits),
            roots,
        };
        self.flows.insert(key, flow.clone());
        Ok(flow)
    }
}

/// An enclosing compound statement.
struct Enclosing<'a> {
    statement: &'a Statement,
    /// The index of the nested block in [`LiveSet::inactive_live`](super::liveness::LiveSet::inactive_live).
    block: usize,
}

struct Walk<'w, 'a> {
    function: &'a Function,
    module: &'a Module,
    meter: &'w Meter,
    role: Role,
    arguments: &'w [bool],
    flow: &'w Flow,
    /// By expression: whether it is uniform.
    uniform: Vec<bool>,
    varying: Bits,
    /// Statements that lanes enter or leave at different times.
    divergent: HashSet<*const Statement>,
    enclosing: Vec<Enclosing<'a>>,
    has_uniform_result: bool,
    returns_early: bool,
    calls: Vec<(Handle<Function>, Vec<bool>)>,
    changed: bool,
}

impl<'a> Walk<'_, 'a> {
    /// `is_last`: no statement is executed after the block before the function ends.
    fn block(
        &mut self,
        block: &'a Block,
        is_last: bool,
        analyses: &mut Analyses<'a>,
    ) -> Result<(), OverBudget> {
        self.meter.tick(block.len() as u64)?;
        for (place, statement) in block.iter().enumerate() {
            let is_last = is_last && is_end(&block[place + 1..]);
            self.statement(statement, is_last, analyses)?;
        }
        Ok(())
    }

    fn is_uniform(&mut self, expression: Handle<Expression>) -> bool {
        // These expressions are not emitted; they are evaluated on use.
        let uniform = match self.function.expressions[expression] {
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::Override(_)
            | Expression::ZeroValue(_)
            | Expression::GlobalVariable(_)
            | Expression::LocalVariable(_) => true,
            Expression::FunctionArgument(index) => self.arguments[index as usize],
            _ => return self.uniform[expression.index()],
        };
        self.uniform[expression.index()] = uniform;
        uniform
    }

    /// Whether an emitted expression is uniform, given its operands.
    fn compute(&mut self, handle: Handle<Expression>) -> bool {
        let function = self.function;
        let expression = &function.expressions[handle];
        match uniformity::transfer(expression) {
            Transfer::Operands | Transfer::Memory => {}
            // Results are recorded at their statements.
            Transfer::Source | Transfer::Varying => return false,
        }
        uniformity::has_uniform_operands(expression, |operand| self.is_uniform(operand))
            && match *expression {
                Expression::Load { pointer } => self.reads_same_contents(pointer),
                // Not lowered.
                Expression::RayQueryVertexPositions { .. }
                | Expression::CooperativeLoad { .. }
                | Expression::CooperativeMultiplyAdd { .. } => false,
                _ => true,
            }
    }

    /// Whether a load from a uniform address is uniform.
    fn reads_same_contents(&self, pointer: Handle<Expression>) -> bool {
        if let Some(root) = self.flow.roots[pointer.index()] {
            return !self.varying.contains(root as usize);
        }
        let mut at = pointer;
        loop {
            match self.function.expressions[at] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = base,
                Expression::GlobalVariable(global) => {
                    let space = self.module.global_variables[global].space;
                    return space != AddressSpace::Private;
                }
                // Memory of a caller.
                _ => return false,
            }
        }
    }

    fn mark_varying(&mut self, local: u32) {
        self.changed |= self.varying.insert(local as usize);
    }

    fn mark_divergent(&mut self, statement: &'a Statement) {
        self.changed |= self.divergent.insert(std::ptr::from_ref(statement));
    }

    /// Whether inactive lanes may still read a variable.
    fn is_read_by_inactive_lanes(&self, local: u32) -> bool {
        self.enclosing.iter().any(|outer| {
            self.divergent
                .contains(&std::ptr::from_ref(outer.statement))
                && self
                    .flow
                    .liveness
                    .of_statement(outer.statement)
                    .inactive_live[outer.block]
                    .contains(local as usize)
        })
    }

    fn store(&mut self, pointer: Handle<Expression>, is_uniform: bool) {
        if let Some(root) = self.flow.roots[pointer.index()]
            && (!is_uniform || !self.is_uniform(pointer) || self.is_read_by_inactive_lanes(root))
        {
            self.mark_varying(root);
        }
    }

    fn nested_blocks(
        &mut self,
        statement: &'a Statement,
        blocks: &[(usize, &'a Block)],
        is_last: bool,
        analyses: &mut Analyses<'a>,
    ) -> Result<(), OverBudget> {
        for &(block, body) in blocks {
            self.enclosing.push(Enclosing { statement, block });
            self.block(body, is_last, analyses)?;
            self.enclosing.pop();
        }
        Ok(())
    }

    fn statement(
        &mut self,
        statement: &'a Statement,
        is_last: bool,
        analyses: &mut Analyses<'a>,
    ) -> Result<(), OverBudget> {
        match *statement {
            Statement::Emit(ref range) => {
                self.meter.tick(range.clone().count() as u64)?;
                for handle in range.clone() {
                    self.uniform[handle.index()] = self.compute(handle);
                }
            }
            Statement::Store { pointer, value } => {
                let is_uniform = self.is_uniform(value);
                self.store(pointer, is_uniform);
            }
            Statement::Block(ref block) => self.block(block, is_last, analyses)?,
            Statement::If {
                condition,
                ref accept,
                ref reject,
            } => self.branch(statement, condition, [accept, reject], is_last, analyses)?,
            Statement::Switch {
                selector,
                ref cases,
            } => {
                if !self.is_uniform(selector) {
                    self.mark_divergent(statement);
                }
                for (place, case) in cases.iter().enumerate() {
                    self.nested_blocks(statement, &[(place, &case.body)], false, analyses)?;
                }
            }
            Statement::Loop {
                ref body,
                ref continuing,
                break_if,
            } => {
                let blocks = [(LOOP, body), (LOOP, continuing)];
                self.nested_blocks(statement, &blocks, false, analyses)?;
                if break_if.is_some_and(|condition| !self.is_uniform(condition)) {
                    self.mark_divergent(statement);
                }
            }
            Statement::Break => self.jump(Exit::Break),
            Statement::Continue => self.wait_for_continuing(),
            Statement::Return { value } => self.return_value(value, is_last),
            Statement::Call {
                function,
                ref arguments,
                result,
            } => self.call(function, arguments, result, analyses)?,
            Statement::WorkGroupUniformLoad { result, .. }
            | Statement::SubgroupBallot { result, .. }
            | Statement::SubgroupCollectiveOperation {
                result,
                collective_op: CollectiveOperation::Reduce,
                ..
            } => self.uniform[result.index()] = true,
            _ => {}
        }
        Ok(())
    }

    fn branch(
        &mut self,
        statement: &'a Statement,
        condition: Handle<Expression>,
        [accept, reject]: [&'a Block; 2],
        is_last: bool,
        analyses: &mut Analyses<'a>,
    ) -> Result<(), OverBudget> {
        let is_uniform = self.is_uniform(condition);
        let is_operator = self.flow.short_circuits.contains(statement);
        if !is_uniform && !is_operator {
            self.mark_divergent(statement);
        }
        self.nested_blocks(statement, &[(0, accept), (1, reject)], is_last, analyses)?;
        if !is_uniform
            && is_operator
            && let Some((_, assignment)) = short_circuit::split(accept)
        {
            // It has a value of either side.
            self.store(assignment.pointer, false);
        }
        Ok(())
    }

    /// Records a `continue`: from here on, lanes wait for `continuing`.
    fn wait_for_continuing(&mut self) {
        self.jump(Exit::Continue);
        let mut outer = self.enclosing.iter_mut().rev();
        let target = outer.find(|outer| matches!(outer.statement, Statement::Loop { .. }));
        if let Some(target) = target {
            target.block = AFTER_CONTINUE;
        }
    }

    fn return_value(&mut self, value: Option<Handle<Expression>>, is_last: bool) {
        if let Some(value) = value {
            let divergent = &self.divergent;
            let is_divergent = self
                .enclosing
                .iter()
                .any(|outer| divergent.contains(&std::ptr::from_ref(outer.statement)));
            self.has_uniform_result &= !is_divergent && self.is_uniform(value);
        }
        if !is_last {
            self.returns_early = true;
            self.jump(Exit::Return);
        }
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
        analyses: &mut Analyses<'a>,
    ) -> Result<(), OverBudget> {
        let mut uniform: Vec<bool> = arguments
            .iter()
            .map(|argument| self.is_uniform(*argument))
            .collect();
        self.calls.push((function, uniform.clone()));
        if analyses.plan.is_called(function) {
            // The callee is compiled once for all calls, so its result must not depend on the arguments of this one.
            uniform.fill(false);
        }
        for argument in arguments {
            self.store(*argument, false);
        }
        let callee = &self.module.functions[function];
        let callee = analyses.of(callee, Role::Called, &uniform)?;
        if let Some(result) = result {
            self.uniform[result.index()] = callee.has_uniform_result;
        }
        Ok(())
    }

    /// Records a jump out of nested statements. If it is divergent, so are the statements that it leaves.
    fn jump(&mut self, exit: Exit) {
        let mut is_divergent = false;
        let mut left = Vec::new();
        for outer in self.enclosing.iter().rev() {
            let is_target = match outer.statement {
                Statement::Loop { .. } => exit != Exit::Return,
                Statement::Switch { .. } => exit == Exit::Break,
                _ => false,
            };
            if !matches!(outer.statement, Statement::If { .. }) {
                left.push(outer.statement);
            }
            if is_target {
                break;
            }
            is_divergent |= self
                .divergent
                .contains(&std::ptr::from_ref(outer.statement));
        }
        // Returning lanes continue after the call; they are tracked in a mask.
        is_divergent |= exit == Exit::Return && self.role == Role::Called;
        if is_divergent {
            left.into_iter()
                .for_each(|statement| self.mark_divergent(statement));
        }
    }
}

/// The kind of a jump out of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exit {
    Break,
    Continue,
    Return,
}

/// Whether nothing is executed after this point of the block.
pub(in crate::lower) fn is_end(rest: &[Statement]) -> bool {
    matches!(rest, [] | [Statement::Return { value: None }, ..])
}

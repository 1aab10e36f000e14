//! Uniformity analysis: which of WGSL's rules on uniform control flow a program may break.
//!
//! WebGPU allows derivatives and subgroup operations only in control flow that its analysis proves uniform, unless the
//! program disables that diagnostic. SPIR-V has no such analysis, and provides less information about variables than
//! WGSL's analysis needs. In: a module. Out: the rules to disable.
//!
//! Algorithm: forward data flow over the structured statements, with a summary of each function for its calls. The
//! transfer functions of expressions are [`anywarp_program::uniformity`], which also explains how this differs from the
//! analysis of `lanes`. What always holds: the analysis is conservative, in favor of disabling. Control flow is uniform
//! at the start of an entry point, and in branches and loops that depend only on constants, overrides, read-only memory
//! and the workgroup id. It is varying after a jump out of any other branch.
//!
//! SPIR-V's memory barriers do not wait for other invocations, all barriers of WGSL do. In uniform control flow that
//! makes no difference; elsewhere such a barrier cannot be written.

use anywarp_program::naga::diagnostic_filter::{
    FilterableTriggeringRule, StandardFilterableTriggeringRule,
};
use anywarp_program::naga::valid::{FunctionInfo, ShaderStages};
use anywarp_program::naga::{
    self, AddressSpace, Barrier, Block, BuiltIn, Expression, Function, Handle, Module, SampleLevel,
    Statement, StorageAccess,
};

use anywarp_program::uniformity::{self, Transfer};
use anywarp_program::{operands, walk};

const DERIVATIVES: &str = "derivative_uniformity";
const SUBGROUPS: &str = "subgroup_uniformity";

/// Operations that require uniform control flow.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Rules {
    derivatives: bool,
    subgroups: bool,
    barriers: bool,
}

impl Rules {
    fn and(self, other: Self) -> Self {
        Self {
            derivatives: self.derivatives || other.derivatives,
            subgroups: self.subgroups || other.subgroups,
            barriers: self.barriers || other.barriers,
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            derivatives: self.derivatives && !other.derivatives,
            subgroups: self.subgroups && !other.subgroups,
            barriers: self.barriers && !other.barriers,
        }
    }
}

/// The control barrier next to a memory barrier, if there is one.
pub(super) fn adjacent_control_barrier(block: &Block, index: usize) -> Option<Barrier> {
    let found = |statement: &Statement| match statement {
        Statement::Emit(_) | Statement::MemoryBarrier(_) => None,
        Statement::ControlBarrier(barrier) => Some(Some(*barrier)),
        _ => Some(None),
    };
    let before = block[..index].iter().rev().find_map(found).flatten();
    before.or_else(|| block[index + 1..].iter().find_map(found).flatten())
}

/// The rules that a chain of diagnostic filters sets.
fn filtered_rules(
    module: &Module,
    leaf: Option<Handle<naga::diagnostic_filter::DiagnosticFilterNode>>,
) -> Rules {
    let mut rules = Rules::default();
    let mut node = leaf;
    while let Some(handle) = node {
        let filter = &module.diagnostic_filters[handle];
        match &filter.inner.triggering_rule {
            FilterableTriggeringRule::Standard(
                StandardFilterableTriggeringRule::DerivativeUniformity,
            ) => rules.derivatives = true,
            FilterableTriggeringRule::Unknown(name) if &**name == SUBGROUPS => {
                rules.subgroups = true;
            }
            _ => {}
        }
        node = filter.parent;
    }
    rules
}

/// The analysis of the functions visited so far.
pub(super) struct Uniformity<'a> {
    module: &'a Module,
    /// The rules that a call of each function requires of its call site.
    required: Vec<Rules>,
    broken: Rules,
    /// For each expression the function it was computed for, and whether its value is uniform. One table for all
    /// functions, so the cost does not depend on unused expressions.
    uniform: Vec<(u32, bool)>,
    generation: u32,
}

/// Operations and calls of a function that require uniform control flow, wherever they are.
#[derive(Default)]
pub(super) struct FunctionSummary {
    rules: Rules,
    calls: Vec<Handle<Function>>,
}

impl FunctionSummary {
    /// Collects the operations and calls of a function.
    pub(super) fn of(function: &Function, info: &FunctionInfo) -> Self {
        let mut summary = Self::default();
        // naga has checked that derivatives occur in fragment shaders only: most functions need no search.
        let may_derive = ShaderStages::FRAGMENT.contains(info.available_stages);
        for statement in walk::statements(&function.body) {
            summary.note(function, statement, may_derive);
        }
        summary
    }

    fn note(&mut self, function: &Function, statement: &Statement, may_derive: bool) {
        match statement {
            Statement::Emit(range) => {
                self.rules.derivatives |= may_derive
                    && range
                        .clone()
                        .any(|expression| derives(&function.expressions[expression]));
            }
            Statement::Call { function, .. } => self.calls.push(*function),
            Statement::MemoryBarrier(_) => self.rules.barriers = true,
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => self.rules.subgroups = true,
            _ => {}
        }
    }
}

/// A memory barrier in varying control flow, without a control barrier next to it.
pub(super) struct LoneBarrier;

impl<'a> Uniformity<'a> {
    pub(super) fn new(module: &'a Module) -> Self {
        Self {
            module,
            required: Vec::with_capacity(module.functions.len()),
            broken: Rules::default(),
            uniform: Vec::new(),
            generation: 0,
        }
    }

    /// The rules that the module may break and does not filter itself.
    pub(super) fn broken_rules(&self) -> impl Iterator<Item = &'static str> {
        let broken = self.broken.without(filtered_rules(
            self.module,
            self.module.diagnostic_filter_leaf,
        ));
        let rules = [
            (broken.derivatives, DERIVATIVES),
            (broken.subgroups, SUBGROUPS),
        ];
        rules
            .into_iter()
            .filter_map(|(is_broken, rule)| is_broken.then_some(rule))
    }

    /// Analyzes the next function of the module, which calls only previous ones, or an entry point after all functions.
    pub(super) fn function(
        &mut self,
        function: &Function,
        summary: &FunctionSummary,
    ) -> Result<(), LoneBarrier> {
        let called = summary.calls.iter().map(|callee| self.required_by(*callee));
        let required = called.fold(summary.rules, Rules::and);
        self.required.push(required);
        if required == Rules::default() {
            return Ok(());
        }
        let filtered = filtered_rules(self.module, function.diagnostic_filter_leaf);
        let mut uniform = std::mem::take(&mut self.uniform);
        self.generation += 1;
        if uniform.len() < function.expressions.len() {
            uniform.resize(function.expressions.len(), (0, false));
        }
        let mut walk = FunctionWalk {
            analysis: self,
            function,
            uniform,
            broken: Rules::default(),
        };
        walk.block(&function.body, true);
        let broken = walk.broken.without(filtered);
        self.uniform = walk.uniform;
        self.broken = self.broken.and(broken);
        if broken.barriers {
            Err(LoneBarrier)
        } else {
            Ok(())
        }
    }

    fn required_by(&self, function: Handle<Function>) -> Rules {
        self.required
            .get(function.index())
            .copied()
            .unwrap_or_default()
    }
}

fn derives(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Derivative { .. }
            | Expression::ImageSample {
                level: SampleLevel::Auto | SampleLevel::Bias(_),
                gather: None,
                ..
            }
    )
}

/// The walk through one function.
struct FunctionWalk<'k, 'a> {
    analysis: &'k Uniformity<'a>,
    function: &'k Function,
    uniform: Vec<(u32, bool)>,
    broken: Rules,
}

/// Jumps that only some invocations take.
#[derive(Clone, Copy, Default)]
struct DivergentJumps {
    /// `break` out of the innermost loop or switch, or `continue`.
    to_loop: bool,
    /// `return`.
    to_caller: bool,
}

impl FunctionWalk<'_, '_> {
    /// Whether the value of an expression is uniform. Emitted expressions have been recorded.
    fn is_uniform(&self, expression: Handle<Expression>) -> bool {
        match self.uniform[expression.index()] {
            (generation, uniform) if generation == self.analysis.generation => uniform,
            _ => self.compute(expression, |operand| {
                // An expression that needs no `Emit` consists of constants.
                operands::is_leaf(&self.function.expressions[operand])
                    && self.compute(operand, |_| false)
            }),
        }
    }

    /// Whether the value is uniform, given the uniformity of the operands.
    fn compute(
        &self,
        handle: Handle<Expression>,
        is_uniform: impl Fn(Handle<Expression>) -> bool,
    ) -> bool {
        let expression = &self.function.expressions[handle];
        let may_be_uniform = match uniformity::transfer(expression) {
            Transfer::Operands => true,
            // The variable of a pointer decides about the contents.
            Transfer::Memory => !matches!(expression, Expression::ImageLoad { .. }),
            Transfer::Source => self.is_uniform_source(expression),
            Transfer::Varying => false,
        };
        may_be_uniform && uniformity::has_uniform_operands(expression, is_uniform)
    }

    /// Whether an argument, a variable or a result has the same value, or contents, in all invocations.
    fn is_uniform_source(&self, expression: &Expression) -> bool {
        match *expression {
            Expression::FunctionArgument(index) => matches!(
                self.function.arguments[index as usize].binding,
                Some(naga::Binding::BuiltIn(
                    BuiltIn::WorkGroupId | BuiltIn::WorkGroupSize | BuiltIn::NumWorkGroups
                ))
            ),
            Expression::GlobalVariable(variable) => {
                match self.analysis.module.global_variables[variable].space {
                    AddressSpace::Uniform | AddressSpace::Immediate => true,
                    AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
                    _ => false,
                }
            }
            Expression::WorkGroupUniformLoadResult { .. } => true,
            _ => false,
        }
    }

    fn require(&mut self, required: Rules, is_uniform_flow: bool) {
        if !is_uniform_flow {
            self.broken = self.broken.and(required);
        }
    }

    /// Walks a block in uniform or varying control flow. Returns the jumps that only some invocations take.
    fn block(&mut self, block: &Block, mut is_uniform_flow: bool) -> DivergentJumps {
        let entered = is_uniform_flow;
        let mut jumps = DivergentJumps::default();
        for (index, statement) in block.iter().enumerate() {
            if matches!(statement, Statement::MemoryBarrier(_))
                && adjacent_control_barrier(block, index).is_none()
            {
                let required = Rules {
                    barriers: true,
                    ..Rules::default()
                };
                self.require(required, is_uniform_flow);
            }
            let inner = self.statement(statement, is_uniform_flow);
            is_uniform_flow &= !(inner.to_loop || inner.to_caller);
            jumps.to_loop |= inner.to_loop;
            jumps.to_caller |= inner.to_caller;
            match statement {
                Statement::Break | Statement::Continue => jumps.to_loop |= !entered,
                Statement::Return { .. } => jumps.to_caller |= !entered,
                _ => {}
            }
        }
        jumps
    }

    fn statement(&mut self, statement: &Statement, is_uniform_flow: bool) -> DivergentJumps {
        match *statement {
            Statement::Emit(ref range) => {
                self.emit(range.clone(), is_uniform_flow);
                DivergentJumps::default()
            }
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => {
                self.subgroup_operation(statement, is_uniform_flow);
                DivergentJumps::default()
            }
            Statement::Call { function, .. } => {
                self.require(self.analysis.required_by(function), is_uniform_flow);
                DivergentJumps::default()
            }
            Statement::Block(ref inner) => self.block(inner, is_uniform_flow),
            Statement::If {
                condition,
                ref accept,
                ref reject,
            } => {
                let is_uniform_flow = is_uniform_flow && self.is_uniform(condition);
                let first = self.block(accept, is_uniform_flow);
                let second = self.block(reject, is_uniform_flow);
                DivergentJumps {
                    to_loop: first.to_loop || second.to_loop,
                    to_caller: first.to_caller || second.to_caller,
                }
            }
            Statement::Switch {
                selector,
                ref cases,
            } => {
                let is_uniform_flow = is_uniform_flow && self.is_uniform(selector);
                let mut jumps = DivergentJumps::default();
                for case in cases {
                    let inner = self.block(&case.body, is_uniform_flow);
                    jumps.to_caller |= inner.to_caller;
                    // A `continue` leaves the switch.
                    jumps.to_loop |= inner.to_loop && continues(&case.body);
                }
                jumps
            }
            Statement::Loop {
                ref body,
                ref continuing,
                break_if,
            } => self.loop_statement(body, continuing, break_if, is_uniform_flow),
            _ => DivergentJumps::default(),
        }
    }

    /// Records the uniformity of emitted expressions.
    fn emit(&mut self, range: naga::Range<Expression>, is_uniform_flow: bool) {
        let mut derivatives = false;
        for expression in range {
            derivatives |= derives(&self.function.expressions[expression]);
            let uniform = self.compute(expression, |operand| self.is_uniform(operand));
            self.uniform[expression.index()] = (self.analysis.generation, uniform);
        }
        let required = Rules {
            derivatives,
            ..Rules::default()
        };
        self.require(required, is_uniform_flow);
    }

    fn subgroup_operation(&mut self, statement: &Statement, is_uniform_flow: bool) {
        let mut is_fulfilled = is_uniform_flow;
        // The delta of a shuffle must be uniform.
        operands::of_statement(statement, |used| {
            is_fulfilled &= self.is_uniform(*used) || !is_shuffle_delta(statement, *used);
        });
        let required = Rules {
            subgroups: true,
            ..Rules::default()
        };
        self.require(required, is_fulfilled);
    }

    /// Invocations that leave in one iteration are missing in the next, so the body is walked twice.
    fn loop_statement(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
        is_uniform_flow: bool,
    ) -> DivergentJumps {
        let ends_uniformly = break_if.is_none_or(|condition| self.is_uniform(condition));
        let before = self.broken;
        let first = self.block(body, is_uniform_flow);
        let is_uniform_flow =
            is_uniform_flow && ends_uniformly && !first.to_loop && !first.to_caller;
        self.broken = before;
        let jumps = self.block(body, is_uniform_flow);
        let more = self.block(continuing, is_uniform_flow);
        DivergentJumps {
            to_loop: false,
            to_caller: jumps.to_caller || more.to_caller,
        }
    }
}

/// Whether an operand is the delta of a shuffle.
fn is_shuffle_delta(statement: &Statement, operand: Handle<Expression>) -> bool {
    use naga::GatherMode as Mode;
    matches!(
        statement,
        Statement::SubgroupGather {
            mode: Mode::ShuffleDown(delta) | Mode::ShuffleUp(delta) | Mode::ShuffleXor(delta),
            ..
        } if *delta == operand
    )
}

/// Whether a block contains a `continue` of the enclosing loop.
fn continues(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Loop { .. } => false,
        _ => operands::blocks_of(statement).any(continues),
    })
}

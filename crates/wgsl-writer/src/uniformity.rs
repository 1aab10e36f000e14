//! Uniformity analysis: which of WGSL's rules on uniform control flow a program may break.
//!
//! WebGPU allows derivatives and subgroup operations only in control flow that its analysis proves uniform, unless the
//! program disables that diagnostic. SPIR-V has no such analysis, and provides less information about variables than
//! WGSL's analysis needs. In: a module. Out: the rules to disable.
//!
//! The analysis is conservative, in favour of disabling: control flow is uniform at the start of an entry point, and in
//! branches and loops that depend only on constants, overrides, read-only memory and the workgroup id. It is varying
//! after a jump out of any other branch.
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

use anywarp_program::operands;

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
pub(super) fn neighbour(block: &Block, index: usize) -> Option<Barrier> {
    let found = |statement: &Statement| match statement {
        Statement::Emit(_) | Statement::MemoryBarrier(_) => None,
        Statement::ControlBarrier(barrier) => Some(Some(*barrier)),
        _ => Some(None),
    };
    let before = block[..index].iter().rev().find_map(found).flatten();
    before.or_else(|| block[index + 1..].iter().find_map(found).flatten())
}

/// The rules that a chain of diagnostic filters sets.
fn said(
    module: &Module,
    leaf: Option<Handle<naga::diagnostic_filter::DiagnosticFilterNode>>,
) -> Rules {
    let mut said = Rules::default();
    let mut node = leaf;
    while let Some(handle) = node {
        let filter = &module.diagnostic_filters[handle];
        match &filter.inner.triggering_rule {
            FilterableTriggeringRule::Standard(
                StandardFilterableTriggeringRule::DerivativeUniformity,
            ) => said.derivatives = true,
            FilterableTriggeringRule::Unknown(name) if &**name == SUBGROUPS => {
                said.subgroups = true;
            }
            _ => {}
        }
        node = filter.parent;
    }
    said
}

/// The analysis of the functions visited so far.
pub(super) struct Uniformity<'a> {
    module: &'a Module,
    /// The rules that a call of each function requires of its call site.
    wanted: Vec<Rules>,
    broken: Rules,
    /// For each expression the function it was computed for, and whether its value is uniform. One table for all
    /// functions, so the cost does not depend on unused expressions.
    uniform: Vec<(u32, bool)>,
    generation: u32,
}

/// Operations and calls of a function that require uniform control flow, wherever they are.
#[derive(Default)]
pub(super) struct Mentions {
    rules: Rules,
    calls: Vec<Handle<Function>>,
}

impl Mentions {
    /// Collects the operations and calls of a function.
    pub(super) fn of(function: &Function, info: &FunctionInfo) -> Self {
        let mut mentions = Self::default();
        // naga has checked that derivatives occur in fragment shaders only: most functions need no search.
        let derives = ShaderStages::FRAGMENT.contains(info.available_stages);
        mentions.note(function, &function.body, derives);
        mentions
    }

    fn note(&mut self, function: &Function, block: &Block, may_derive: bool) {
        for statement in block.iter() {
            match statement {
                Statement::Emit(range) => {
                    self.rules.derivatives |=
                        may_derive && range.clone().any(|it| derives(&function.expressions[it]));
                    continue;
                }
                Statement::Call { function, .. } => self.calls.push(*function),
                Statement::MemoryBarrier(_) => self.rules.barriers = true,
                Statement::SubgroupBallot { .. }
                | Statement::SubgroupGather { .. }
                | Statement::SubgroupCollectiveOperation { .. } => self.rules.subgroups = true,
                _ => {}
            }
            for inner in operands::blocks_of(statement) {
                self.note(function, inner, may_derive);
            }
        }
    }
}

/// A memory barrier in varying control flow, without a control barrier next to it.
pub(super) struct LoneBarrier;

impl<'a> Uniformity<'a> {
    pub(super) fn new(module: &'a Module) -> Self {
        Self {
            module,
            wanted: Vec::with_capacity(module.functions.len()),
            broken: Rules::default(),
            uniform: Vec::new(),
            generation: 0,
        }
    }

    /// The rules that the module may break and does not filter itself.
    pub(super) fn broken_rules(&self) -> impl Iterator<Item = &'static str> {
        let broken = self
            .broken
            .without(said(self.module, self.module.diagnostic_filter_leaf));
        let rules = [
            (broken.derivatives, DERIVATIVES),
            (broken.subgroups, SUBGROUPS),
        ];
        rules
            .into_iter()
            .filter_map(|(is_broken, rule)| is_broken.then_some(rule))
    }

    /// Analyses the next function of the module, which calls only previous ones, or an entry point after all functions.
    pub(super) fn function(
        &mut self,
        function: &Function,
        mentions: &Mentions,
    ) -> Result<(), LoneBarrier> {
        let called = mentions.calls.iter().map(|it| self.wanted_by(*it));
        let wanted = called.fold(mentions.rules, Rules::and);
        self.wanted.push(wanted);
        if wanted == Rules::default() {
            return Ok(());
        }
        let said = said(self.module, function.diagnostic_filter_leaf);
        let mut uniform = std::mem::take(&mut self.uniform);
        self.generation += 1;
        if uniform.len() < function.expressions.len() {
            uniform.resize(function.expressions.len(), (0, false));
        }
        let mut walk = Walk {
            known: self,
            function,
            uniform,
            broken: Rules::default(),
        };
        walk.block(&function.body, true);
        let broken = walk.broken.without(said);
        self.uniform = walk.uniform;
        self.broken = self.broken.and(broken);
        match broken.barriers {
            true => Err(LoneBarrier),
            false => Ok(()),
        }
    }

    fn wanted_by(&self, function: Handle<Function>) -> Rules {
        self.wanted
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
struct Walk<'k, 'a> {
    known: &'k Uniformity<'a>,
    function: &'k Function,
    uniform: Vec<(u32, bool)>,
    broken: Rules,
}

/// Jumps taken by some invocations only.
#[derive(Clone, Copy, Default)]
struct Jumps {
    /// `break` out of the innermost loop or switch, or `continue`.
    near: bool,
    /// `return`.
    far: bool,
}

impl Walk<'_, '_> {
    /// Whether the value of an expression is uniform. Emitted expressions have been recorded.
    fn is_uniform(&self, expression: Handle<Expression>) -> bool {
        match self.uniform[expression.index()] {
            (generation, uniform) if generation == self.known.generation => uniform,
            _ => self.judge(expression, &|operand| {
                // An expression that needs no `Emit` consists of constants.
                operands::is_leaf(&self.function.expressions[operand])
                    && self.judge(operand, &|_| false)
            }),
        }
    }

    /// Whether the value is uniform, given the uniformity of the operands.
    fn judge(
        &self,
        expression: Handle<Expression>,
        is_uniform: &impl Fn(Handle<Expression>) -> bool,
    ) -> bool {
        let expression = &self.function.expressions[expression];
        let mut uniform = match *expression {
            Expression::FunctionArgument(index) => matches!(
                self.function.arguments[index as usize].binding,
                Some(naga::Binding::BuiltIn(
                    BuiltIn::WorkGroupId | BuiltIn::WorkGroupSize | BuiltIn::NumWorkGroups
                ))
            ),
            Expression::GlobalVariable(variable) => {
                match self.known.module.global_variables[variable].space {
                    AddressSpace::Uniform | AddressSpace::Immediate => true,
                    AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
                    _ => false,
                }
            }
            Expression::LocalVariable(_)
            | Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. }
            | Expression::ImageLoad { .. }
            | Expression::ImageSample { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. }
            | Expression::Derivative { .. } => false,
            _ => true,
        };
        operands::of_expression(expression, |used| uniform = uniform && is_uniform(*used));
        uniform
    }

    fn meet(&mut self, wanted: Rules, together: bool) {
        if !together {
            self.broken = self.broken.and(wanted);
        }
    }

    /// Walks a block in uniform or varying control flow. Returns the jumps that only some invocations take.
    fn block(&mut self, block: &Block, mut together: bool) -> Jumps {
        let entered = together;
        let mut jumps = Jumps::default();
        for (index, statement) in block.iter().enumerate() {
            if matches!(statement, Statement::MemoryBarrier(_)) && neighbour(block, index).is_none()
            {
                let wanted = Rules {
                    barriers: true,
                    ..Rules::default()
                };
                self.meet(wanted, together);
            }
            let inner = self.statement(statement, together);
            together &= !(inner.near || inner.far);
            jumps.near |= inner.near;
            jumps.far |= inner.far;
            match statement {
                Statement::Break | Statement::Continue => jumps.near |= !entered,
                Statement::Return { .. } => jumps.far |= !entered,
                _ => {}
            }
        }
        jumps
    }

    fn statement(&mut self, statement: &Statement, together: bool) -> Jumps {
        match *statement {
            Statement::Emit(ref range) => {
                let mut derivatives = false;
                for it in range.clone() {
                    derivatives |= derives(&self.function.expressions[it]);
                    let uniform = self.judge(it, &|operand| self.is_uniform(operand));
                    self.uniform[it.index()] = (self.known.generation, uniform);
                }
                let wanted = Rules {
                    derivatives,
                    ..Rules::default()
                };
                self.meet(wanted, together);
                Jumps::default()
            }
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => {
                let mut together = together;
                // The delta of a shuffle must be uniform.
                operands::of_statement(statement, |used| {
                    together &= self.is_uniform(*used) || !is_distance(statement, *used);
                });
                let wanted = Rules {
                    subgroups: true,
                    ..Rules::default()
                };
                self.meet(wanted, together);
                Jumps::default()
            }
            Statement::Call { function, .. } => {
                self.meet(self.known.wanted_by(function), together);
                Jumps::default()
            }
            Statement::Block(ref inner) => self.block(inner, together),
            Statement::If {
                condition,
                ref accept,
                ref reject,
            } => {
                let together = together && self.is_uniform(condition);
                let first = self.block(accept, together);
                let second = self.block(reject, together);
                Jumps {
                    near: first.near || second.near,
                    far: first.far || second.far,
                }
            }
            Statement::Switch {
                selector,
                ref cases,
            } => {
                let together = together && self.is_uniform(selector);
                let mut jumps = Jumps::default();
                for case in cases {
                    let inner = self.block(&case.body, together);
                    jumps.far |= inner.far;
                    // A `continue` leaves the switch.
                    jumps.near |= inner.near && continues(&case.body);
                }
                jumps
            }
            Statement::Loop {
                ref body,
                ref continuing,
                break_if,
            } => {
                let ends = break_if.is_none_or(|condition| self.is_uniform(condition));
                // Invocations that leave in one iteration are missing in the next, so the body is walked twice.
                let before = self.broken;
                let first = self.block(body, together);
                let together = together && ends && !first.near && !first.far;
                self.broken = before;
                let jumps = self.block(body, together);
                let more = self.block(continuing, together);
                Jumps {
                    near: false,
                    far: jumps.far || more.far,
                }
            }
            _ => Jumps::default(),
        }
    }
}

/// Whether an operand is the delta of a shuffle.
fn is_distance(statement: &Statement, operand: Handle<Expression>) -> bool {
    use naga::GatherMode as Mode;
    matches!(
        statement,
        Statement::SubgroupGather {
            mode: Mode::ShuffleDown(distance) | Mode::ShuffleUp(distance) | Mode::ShuffleXor(distance),
            ..
        } if *distance == operand
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

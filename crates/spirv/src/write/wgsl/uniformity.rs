//! Which of WGSL's rules on uniform control flow a program may break.
//!
//! WebGPU wants derivatives and subgroup operations only where all invocations come by together,
//! as far as its analysis can tell, and lets a program switch that off. SPIR-V has no such
//! analysis, and what it says of variables is less than WGSL wants to know. In: a module. Out: the
//! rules to be switched off. The test is simple and errs towards switching off: control flow counts
//! as uniform at the start of an entry point, and in branches and loops that depend on nothing but
//! constants, overrides, memory that nobody writes, and the number of the workgroup; it no longer
//! does behind a jump out of any other branch.
//!
//! SPIR-V's barriers for memory alone wait for nobody, WGSL's all do. Where control flow counts as
//! uniform that is no difference; elsewhere the barrier cannot be said.

use anywarp_program::naga::diagnostic_filter::{
    FilterableTriggeringRule, StandardFilterableTriggeringRule,
};
use anywarp_program::naga::valid::{FunctionInfo, ShaderStages};
use anywarp_program::naga::{
    AddressSpace, Barrier, Block, BuiltIn, Expression, Function, Handle, Module, SampleLevel,
    Statement, StorageAccess,
};

use crate::write::operands;

const DERIVATIVES: &str = "derivative_uniformity";
const SUBGROUPS: &str = "subgroup_uniformity";

/// What wants uniform control flow.
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

/// The barrier of execution right beside a barrier for memory alone, if there is one.
pub(super) fn neighbour(block: &Block, index: usize) -> Option<Barrier> {
    let found = |statement: &Statement| match statement {
        Statement::Emit(_) | Statement::MemoryBarrier(_) => None,
        Statement::ControlBarrier(barrier) => Some(Some(*barrier)),
        _ => Some(None),
    };
    let before = block[..index].iter().rev().find_map(found).flatten();
    before.or_else(|| block[index + 1..].iter().find_map(found).flatten())
}

/// The rules that a chain of filters speaks of.
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

/// What is known of a module's functions so far.
pub(super) struct Uniformity<'a> {
    module: &'a Module,
    /// What a call of each function wants of the place it is called from.
    wanted: Vec<Rules>,
    broken: Rules,
    /// Of each expression of a function the number of that function, and whether all invocations have
    /// the same value of it. The table serves all functions, so that none pays for what it does not use.
    uniform: Vec<(u32, bool)>,
    generation: u32,
}

/// What a function mentions that has to do with uniform control flow, at whatever place.
#[derive(Default)]
pub(super) struct Mentions {
    rules: Rules,
    calls: Vec<Handle<Function>>,
}

impl Mentions {
    /// What the body of a function mentions.
    pub(super) fn of(function: &Function, info: &FunctionInfo) -> Self {
        let mut mentions = Self::default();
        // naga has seen that what derives is for fragments only: most functions need no second look.
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

/// A barrier for memory alone where not all invocations may come by.
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

    /// The rules that the module may break and says nothing about.
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

    /// Looks at the next function of the module, which calls none but those before, or at an entry point
    /// after all functions.
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

/// Where a jump that only some invocations take leads.
#[derive(Clone, Copy, Default)]
struct Jumps {
    /// Out of the innermost loop or switch, or to a loop's next round.
    near: bool,
    /// Out of the function.
    far: bool,
}

impl Walk<'_, '_> {
    /// Whether all invocations have the same value of an expression. What is evaluated has been noted.
    fn is_uniform(&self, expression: Handle<Expression>) -> bool {
        match self.uniform[expression.index()] {
            (generation, uniform) if generation == self.known.generation => uniform,
            _ => self.judge(expression, &|operand| {
                // What need not be evaluated is made of constants.
                operands::is_leaf(&self.function.expressions[operand])
                    && self.judge(operand, &|_| false)
            }),
        }
    }

    /// The same from what is known of the operands.
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

    /// Walks a block that all invocations enter together, or not. Says which jumps in it only some
    /// of them take.
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
                // By how far lanes are moved must be the same for all of them.
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
                    // A `continue` in it leads out of it.
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
                // Who leaves in one round is missing in the next.
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

/// Whether an operand says by how far lanes are moved.
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

/// Whether a block goes on with the next round of the loop around it.
fn continues(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Loop { .. } => false,
        _ => operands::blocks_of(statement).any(continues),
    })
}

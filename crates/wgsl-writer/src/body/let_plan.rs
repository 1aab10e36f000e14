//! Decides which expressions of a function are bound by a `let`.
//!
//! In: a function. Out: for each expression whether it is bound to a name where naga emits it, or written inline at its
//! use. What always holds: reads are not moved across possible writes; side effects happen once and in order; nothing
//! costly is written twice or moved into a loop; the nesting of text is bounded. Expressions with a name in the source
//! are always bound.

use anywarp_program::naga::valid::FunctionInfo;
use anywarp_program::naga::{
    AddressSpace, Arena, BinaryOperator, Block, Expression, Function, Handle, ImageClass, Module,
    SampleLevel, Statement, StorageAccess, TypeInner,
};

use super::FunctionView;
use super::constant_hiding;
use super::evaluation_order;
use super::loop_numbers::LoopNumbers;
use crate::context::Context;
use anywarp_program::operands;

/// Expressions nested deeper are split by a `let`, because front ends limit the depth.
const MAX_DEPTH: u8 = 48;

/// The text may contain something that must not move, or that was emitted in another loop.
const MAY_REORDER: u8 = 1;

/// The text may use a local variable.
const MENTIONS_LOCAL: u8 = 2;

/// What restricts moving an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mobility {
    /// Nothing: it may be written anywhere.
    #[default]
    Free,
    /// It reads memory that statements may write.
    Reads,
    /// It depends on neighboring invocations (derivatives), so control flow must stay uniform.
    Derives,
    /// It is the result of a statement with side effects.
    Effect,
}

/// The decisions about one function, reused for the next. Front ends leave unused expressions in functions, thousands
/// if a module has as many constants, and the cost of a function must not depend on those. So facts are set only for
/// expressions that statements reach, and only those are reset.
#[derive(Debug, Default)]
pub(super) struct LetPlan {
    /// Indexed by expression; default for those that no statement reaches.
    pub(super) facts: Vec<ExpressionFacts>,
    /// Emitted expressions with operands or side effects, operands before uses.
    pub(super) ordered: Vec<Handle<Expression>>,
    /// Expressions without operands.
    pub(super) leaves: Vec<Handle<Expression>>,
    /// Operators with only constant operands, each with the operand to hide, because a front end would evaluate them
    /// and report overflow as an error.
    pub(super) hiding: Vec<(Handle<Expression>, Handle<Expression>)>,
    pub(super) calls: Vec<Handle<Function>>,
    /// Expressions whose text begins with the name of their type.
    pub(super) composed: Vec<Handle<Expression>>,
    /// Maximal depth of an operand.
    deepest: u8,
}

/// Analysis results and decisions for one expression.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExpressionFacts {
    /// Number of uses in the text.
    pub(super) uses: u32,
    /// The loop in which it is evaluated.
    pub(super) home: u32,
    /// The operator of the compound assignment that may absorb this read.
    swallowed: Option<Handle<Expression>>,
    /// Nesting depth of its text.
    pub(super) depth: u8,
    /// It is bound by a `let`.
    pub(super) bound: bool,
    /// It is evaluated only to make a resource used: `_ = value;`.
    pub(super) phony: bool,
    /// It is the value of a store written as `pointer op= right`.
    pub(super) compound: bool,
    pub(super) emitted: bool,
    /// Its value is known at compile time.
    pub(super) constant: bool,
    /// Evaluated but not yet written; used by `evaluation_order`.
    pub(super) pending: bool,
    /// Already in `ordered` or `leaves`.
    placed: bool,
    /// What restricts moving it.
    pub(super) mobility: Mobility,
    /// Flags from its operands: [`MAY_REORDER`] and [`MENTIONS_LOCAL`].
    inherited: u8,
}

impl ExpressionFacts {
    /// Whether the evaluation order matters if the text is written in this loop.
    pub(super) fn may_reorder(&self, home: u32) -> bool {
        !self.bound && (self.inherited & MAY_REORDER != 0 || (self.emitted && self.home != home))
    }

    /// Whether the text may use a local variable.
    pub(super) fn may_mention_local(&self) -> bool {
        !self.bound && self.inherited & MENTIONS_LOCAL != 0
    }
}

/// The combined properties of an expression's operands.
#[derive(Clone, Copy)]
pub(super) struct OperandSummary {
    pub(super) first: Option<Handle<Expression>>,
    /// All operands are known at compile time.
    pub(super) constant: bool,
    inherited: u8,
    depth: u8,
}

impl OperandSummary {
    fn empty() -> Self {
        Self {
            first: None,
            constant: true,
            inherited: 0,
            depth: 0,
        }
    }

    /// Adds an operand of an expression evaluated in loop `home`.
    #[inline]
    fn note(&mut self, operand: Handle<Expression>, facts: &ExpressionFacts, home: u32) {
        self.first = self.first.or(Some(operand));
        self.constant &= facts.constant;
        self.inherited |= facts.inherited;
        if facts.emitted && facts.home != home {
            self.inherited |= MAY_REORDER;
        }
        self.depth = self.depth.max(facts.depth);
    }
}

struct LetPlanBuilder<'a> {
    module: &'a Module,
    function: FunctionView<'a>,
    info: &'a FunctionInfo,
    plan: &'a mut LetPlan,
    loops: LoopNumbers,
}

impl LetPlan {
    /// Makes the decisions for a function. The previous function must have been reset.
    pub(super) fn decide(
        &mut self,
        cx: &Context<'_>,
        function: FunctionView<'_>,
        info: &FunctionInfo,
    ) {
        let module = cx.module;
        let count = function.expressions.len();
        if self.facts.len() < count {
            self.facts.resize(count, ExpressionFacts::default());
        }
        let mut builder = LetPlanBuilder {
            module,
            function,
            info,
            plan: self,
            loops: LoopNumbers::default(),
        };
        for (_, local) in function.local_variables.iter() {
            if let Some(init) = local.init {
                builder.use_one(init);
            }
        }
        builder.survey(function.body, 0);
        builder.bind_copied(cx);
        builder.count_uses();
        if builder.plan.deepest >= MAX_DEPTH {
            builder.limit_depth();
        }
        evaluation_order::enforce(function, self);
    }

    /// Resets the facts about the function.
    pub(super) fn forget(&mut self) {
        for expression in self.ordered.iter().chain(&self.leaves) {
            self.facts[expression.index()] = ExpressionFacts::default();
        }
        self.ordered.clear();
        self.leaves.clear();
        self.hiding.clear();
        self.calls.clear();
        self.composed.clear();
        self.deepest = 0;
    }

    fn place_leaf(
        &mut self,
        expressions: &Arena<Expression>,
        leaf: Handle<Expression>,
    ) -> &ExpressionFacts {
        self.leaves.push(leaf);
        let facts = &mut self.facts[leaf.index()];
        facts.placed = true;
        facts.depth = 1;
        match expressions[leaf] {
            Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => {
                facts.constant = true;
            }
            Expression::LocalVariable(_) => facts.inherited = MENTIONS_LOCAL,
            _ => {}
        }
        facts
    }

    /// Whether anything is written where an emitted expression is evaluated.
    pub(super) fn is_written(&self, expression: Handle<Expression>) -> bool {
        self.facts[expression.index()].bound || self.facts[expression.index()].phony
    }

    /// Whether the text uses an expression. Front ends leave many unused ones.
    pub(super) fn is_mentioned(&self, expression: Handle<Expression>) -> bool {
        let facts = &self.facts[expression.index()];
        facts.uses > 0 || facts.emitted
    }

    /// Whether a call is written where its result is used.
    pub(super) fn is_deferred(&self, result: Handle<Expression>) -> bool {
        self.facts[result.index()].uses == 1 && !self.facts[result.index()].bound
    }
}

impl LetPlanBuilder<'_> {
    /// Records a use by a statement.
    fn use_one(&mut self, used: Handle<Expression>) {
        self.plan.facts[used.index()].uses += 1;
        self.place(used);
    }

    /// Records that a statement emits an expression.
    fn emit(&mut self, expression: Handle<Expression>, home: u32) {
        let facts = &mut self.plan.facts[expression.index()];
        facts.emitted = true;
        facts.home = home;
        self.place(expression);
    }

    /// Appends an expression after its operands (post-order), and derives its facts.
    #[inline]
    fn place(&mut self, expression: Handle<Expression>) {
        if !self.plan.facts[expression.index()].placed && !self.place_next(expression) {
            self.place_operands(expression);
        }
    }

    /// Operands are emitted before, except for those that need no `Emit`.
    #[cold]
    fn place_operands(&mut self, expression: Handle<Expression>) {
        let mut open = vec![expression];
        while let Some(&expression) = open.last() {
            if self.plan.facts[expression.index()].placed || self.place_next(expression) {
                open.pop();
                continue;
            }
            operands::of_expression(&self.function.expressions[expression], |&used| {
                if !self.plan.facts[used.index()].placed {
                    open.push(used);
                }
            });
        }
    }

    /// Appends an expression if all its operands are done; otherwise pushes them.
    fn place_next(&mut self, handle: Handle<Expression>) -> bool {
        let expressions = self.function.expressions;
        let expression = &expressions[handle];
        let own = &self.plan.facts[handle.index()];
        let (home, emitted) = (own.home, own.emitted);
        let mut operand_summary = OperandSummary::empty();
        let mut ready = true;
        operands::of_expression(expression, |&used| {
            let facts = &self.plan.facts[used.index()];
            if facts.placed {
                operand_summary.note(used, facts, home);
            } else if operands::is_leaf(&expressions[used]) {
                let facts = self.plan.place_leaf(expressions, used);
                operand_summary.note(used, facts, home);
            } else {
                ready = false;
            }
        });
        if !ready {
            return false;
        }
        if operand_summary.first.is_none() && !emitted {
            self.plan.place_leaf(expressions, handle);
            return true;
        }
        let mobility = mobility(self.module, self.function, expression);
        self.plan.deepest = self.plan.deepest.max(operand_summary.depth);
        let facts = &mut self.plan.facts[handle.index()];
        facts.placed = true;
        facts.depth = operand_summary.depth.saturating_add(1);
        facts.mobility = mobility;
        facts.inherited = operand_summary.inherited;
        if mobility != Mobility::Free {
            facts.inherited |= MAY_REORDER;
        }
        // A result may be written as the call that produces it, including its arguments.
        if operand_summary.first.is_none() {
            facts.inherited |= MENTIONS_LOCAL;
        }
        self.plan.ordered.push(handle);
        if let Expression::Compose { .. } | Expression::ZeroValue(_) = expression {
            self.plan.composed.push(handle);
        }
        let hidden = constant_hiding::hide(
            self.module,
            self.function,
            self.info,
            self.plan,
            handle,
            operand_summary,
        );
        if let Some(operand) = hidden {
            self.hide(handle, operand);
        }
        true
    }

    /// Records an operand to hide from constant evaluation.
    #[cold]
    fn hide(&mut self, operator: Handle<Expression>, operand: Handle<Expression>) {
        let facts = &mut self.plan.facts[operand.index()];
        if facts.emitted {
            facts.bound = true;
        } else {
            self.plan.hiding.push((operator, operand));
        }
    }

    /// Records the loop of each emitted expression, and the uses by statements.
    fn survey(&mut self, block: &Block, home: u32) {
        for (index, statement) in block.iter().enumerate() {
            if let Statement::Emit(range) = statement {
                for expression in range.clone() {
                    self.emit(expression, home);
                }
                continue;
            }
            operands::of_statement(statement, |&used| self.use_one(used));
            if let Some(result) = operands::result_of(statement) {
                self.emit(result, home);
            }
            let inner_home = self.loops.enter(statement, home);
            operands::blocks_of(statement).for_each(|block| self.survey(block, inner_home));
            match statement {
                Statement::Loop {
                    break_if: Some(condition),
                    ..
                } => self.use_one(*condition),
                Statement::Call { function, .. } => self.plan.calls.push(*function),
                Statement::Store { pointer, value } => {
                    self.survey_compound(block, index, *pointer, *value);
                }
                _ => {}
            }
        }
    }

    /// Detects `pointer = *pointer op right` with only `Emit` statements in between.
    fn survey_compound(
        &mut self,
        block: &Block,
        store: usize,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
    ) {
        let expressions = &self.function.expressions;
        let Expression::Binary { op, left, .. } = expressions[value] else {
            return;
        };
        let comparing = matches!(
            op,
            BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::Less
                | BinaryOperator::LessEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterEqual
                | BinaryOperator::LogicalAnd
                | BinaryOperator::LogicalOr
        );
        if comparing
            || !matches!(expressions[left], Expression::Load { pointer: read } if self.is_same_place(read, pointer))
        {
            return;
        }
        let mut found = (false, false);
        for statement in block[..store].iter().rev() {
            let Statement::Emit(range) = statement else {
                break;
            };
            let (first, last) = match range.first_and_last() {
                Some(bounds) => bounds,
                None => continue,
            };
            let within = |expression: Handle<Expression>| {
                (first.index()..=last.index()).contains(&expression.index())
            };
            found.0 |= within(left);
            found.1 |= within(value);
            if found == (true, true) {
                self.plan.facts[left.index()].swallowed = Some(value);
                break;
            }
        }
    }

    /// Whether two pointers are structurally equal, and so alias.
    fn is_same_place(&self, left: Handle<Expression>, right: Handle<Expression>) -> bool {
        let expressions = &self.function.expressions;
        let (mut left, mut right) = (left, right);
        while left != right {
            (left, right) = match (&expressions[left], &expressions[right]) {
                (
                    Expression::AccessIndex {
                        base: left,
                        index: first,
                    },
                    Expression::AccessIndex {
                        base: right,
                        index: second,
                    },
                ) if first == second => (*left, *right),
                (
                    Expression::Access {
                        base: left,
                        index: first,
                    },
                    Expression::Access {
                        base: right,
                        index: second,
                    },
                ) if self.is_same_index(*first, *second) => (*left, *right),
                (Expression::LocalVariable(first), Expression::LocalVariable(second)) => {
                    return first == second;
                }
                (Expression::FunctionArgument(first), Expression::FunctionArgument(second)) => {
                    return first == second;
                }
                (Expression::GlobalVariable(first), Expression::GlobalVariable(second)) => {
                    return first == second;
                }
                _ => return false,
            };
        }
        true
    }

    fn is_same_index(&self, left: Handle<Expression>, right: Handle<Expression>) -> bool {
        let expressions = &self.function.expressions;
        left == right
            || match (&expressions[left], &expressions[right]) {
                (Expression::Literal(left), Expression::Literal(right)) => left == right,
                (Expression::Constant(left), Expression::Constant(right)) => left == right,
                _ => false,
            }
    }

    /// Values copied member by member need a name.
    fn bind_copied(&mut self, cx: &Context<'_>) {
        if cx.copied_structs.is_empty() {
            return;
        }
        for &handle in &self.plan.ordered {
            if cx.is_copied(
                &self.function.expressions[handle],
                self.info[handle].ty.handle(),
            ) {
                self.plan.facts[handle.index()].bound = self.plan.facts[handle.index()].emitted;
            }
        }
    }

    /// Counts uses in reverse order, so that the count of an expression is final when it is visited.
    fn count_uses(&mut self) {
        let function = self.function;
        for at in (0..self.plan.ordered.len()).rev() {
            let handle = self.plan.ordered[at];
            let expression = &function.expressions[handle];
            let index = handle.index();
            let emitted = self.plan.facts[index].emitted;
            let uses = self.plan.facts[index].uses;
            if emitted {
                let named = function.named_expressions.contains_key(&handle);
                if uses == 0 && !named && !self.plan.facts[index].bound {
                    self.plan.facts[index].phony =
                        self.mentions_resource(expression) && self.can_bind(handle);
                } else if (named || (uses > 1 && !self.may_repeat(handle))) && self.can_bind(handle)
                {
                    self.plan.facts[index].bound = true;
                }
            }
            if uses == 0 && !self.plan.is_written(handle) {
                self.plan.facts[index].bound = false;
                continue;
            }
            if let Some(operator) = self.plan.facts[index].swallowed
                && uses == 1
                && !self.plan.facts[index].bound
                && !self.plan.facts[operator.index()].bound
                && self.plan.facts[operator.index()].uses == 1
            {
                self.plan.facts[operator.index()].compound = true;
                continue;
            }
            let times = if self.plan.is_written(handle) {
                1
            } else {
                uses
            };
            operands::of_expression(expression, |&used| {
                let count = &mut self.plan.facts[used.index()].uses;
                *count = count.saturating_add(times);
            });
        }
    }

    /// Resources have no values to bind.
    fn can_bind(&self, handle: Handle<Expression>) -> bool {
        !matches!(
            self.info[handle].ty.inner_with(&self.module.types),
            TypeInner::Image { .. }
                | TypeInner::Sampler { .. }
                | TypeInner::AccelerationStructure { .. }
                | TypeInner::BindingArray { .. }
        )
    }

    /// Whether duplicating an expression is no worse than naming it.
    fn may_repeat(&self, handle: Handle<Expression>) -> bool {
        match self.function.expressions[handle] {
            Expression::AccessIndex { .. } | Expression::Swizzle { .. } => true,
            Expression::Access { .. } => self.info[handle]
                .ty
                .inner_with(&self.module.types)
                .pointer_space()
                .is_some(),
            Expression::As { .. } => self.plan.facts[handle.index()].constant,
            Expression::Splat { .. } | Expression::Compose { .. } => {
                let small = matches!(
                    self.info[handle].ty.inner_with(&self.module.types),
                    TypeInner::Vector { .. }
                );
                small && self.plan.facts[handle.index()].constant
            }
            _ => false,
        }
    }

    /// An unused read still makes a resource part of the program's interface.
    fn mentions_resource(&self, expression: &Expression) -> bool {
        let Expression::Load { pointer } = *expression else {
            return false;
        };
        match root(self.function, pointer) {
            Some(Expression::GlobalVariable(variable)) => {
                self.module.global_variables[*variable].binding.is_some()
            }
            _ => false,
        }
    }

    fn limit_depth(&mut self) {
        for at in 0..self.plan.ordered.len() {
            let handle = self.plan.ordered[at];
            let mut depth = 0;
            let facts = &self.plan.facts;
            operands::of_expression(&self.function.expressions[handle], |&used| {
                depth = depth.max(facts[used.index()].depth);
            });
            let own = facts[handle.index()];
            let cut = depth >= MAX_DEPTH && own.emitted && own.uses > 0 && !own.compound;
            let bound = own.bound || (cut && self.can_bind(handle));
            let facts = &mut self.plan.facts[handle.index()];
            facts.bound = bound;
            facts.depth = if bound { 0 } else { depth.saturating_add(1) };
        }
    }
}

/// The variable or argument at the root of a pointer or handle.
fn root(function: FunctionView<'_>, mut pointer: Handle<Expression>) -> Option<&Expression> {
    loop {
        match function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                pointer = base;
            }
            ref expression => return Some(expression),
        }
    }
}

/// What restricts moving an expression.
fn mobility(module: &Module, function: FunctionView<'_>, expression: &Expression) -> Mobility {
    let variable = |pointer| match root(function, pointer) {
        Some(Expression::GlobalVariable(variable)) => Some(&module.global_variables[*variable]),
        _ => None,
    };
    match *expression {
        Expression::Load { pointer } => match variable(pointer).map(|variable| variable.space) {
            Some(AddressSpace::Uniform | AddressSpace::Immediate) => Mobility::Free,
            Some(AddressSpace::Storage { access }) if !access.contains(StorageAccess::STORE) => {
                Mobility::Free
            }
            _ => Mobility::Reads,
        },
        Expression::ImageLoad { image, .. } => {
            match variable(image).map(|variable| &module.types[variable.ty].inner) {
                Some(TypeInner::Image {
                    class: ImageClass::Storage { .. },
                    ..
                })
                | None => Mobility::Reads,
                Some(_) => Mobility::Free,
            }
        }
        Expression::ImageSample {
            level: SampleLevel::Auto | SampleLevel::Bias(_),
            ..
        }
        | Expression::Derivative { .. } => Mobility::Derives,
        Expression::RayQueryGetIntersection { .. }
        | Expression::RayQueryVertexPositions { .. }
        | Expression::CooperativeLoad { .. } => Mobility::Reads,
        Expression::CallResult(_)
        | Expression::AtomicResult { .. }
        | Expression::WorkGroupUniformLoadResult { .. }
        | Expression::SubgroupBallotResult
        | Expression::SubgroupOperationResult { .. }
        | Expression::RayQueryProceedResult => Mobility::Effect,
        _ => Mobility::Free,
    }
}

//! Placement of local variable declarations.
//!
//! In: a function. naga declares all variables at its start. Out: for each variable the block and statement of its
//! declaration: the innermost block that contains all uses (their lowest common ancestor in the block tree), before the
//! first use. Sibling blocks may thus reuse a name. A variable whose first use is a store is declared by that store.
//! What always holds: a variable that keeps its value across iterations of a loop is declared outside the loop; unused
//! variables are not declared.

use anywarp_program::naga::{Block, Expression, FastHashMap, Handle, LocalVariable, Statement};

use super::FunctionView;
use super::behavior::identity;
use super::let_plan::LetPlan;
use anywarp_program::operands;

/// A position in a block: a statement, and one of the expressions emitted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockPosition {
    statement: u32,
    expression: u32,
}

impl BlockPosition {
    /// The position at the start of a statement.
    pub(super) fn at(statement: usize) -> Self {
        Self::within(statement, 0)
    }

    /// The position of an expression emitted by a statement. naga's arenas have less than 2^32 expressions.
    pub(super) fn within(statement: usize, expression: usize) -> Self {
        Self {
            statement: statement as u32,
            expression: expression as u32,
        }
    }
}

/// What happens to a variable at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// It is declared before the statement.
    Declared(Handle<LocalVariable>),
    /// The store declares it.
    ByStore,
    /// The store is omitted, because the variable is initialized with its value.
    Dropped,
}

/// Which kinds of events occur at a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventKinds {
    pub(super) declares: bool,
    pub(super) by_store: bool,
    pub(super) drops: bool,
}

/// The events of one block, as an index range.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Events {
    first: usize,
    end: usize,
}

/// The declarations of the local variables of a function.
#[derive(Debug, Default)]
pub(super) struct LocalScopes {
    /// Blocks with events, by identity.
    blocks: FastHashMap<usize, Events>,
    /// Sorted by block and position.
    events: Vec<(BlockPosition, Event)>,
    /// Initial values that replace those of naga.
    initial: FastHashMap<Handle<LocalVariable>, Handle<Expression>>,
    /// For each variable, the last statement of the declaring block that uses it.
    last: Vec<u32>,
}

impl LocalScopes {
    pub(super) fn new(function: FunctionView<'_>, plan: &LetPlan) -> Self {
        // Most small functions have no variables.
        if function.local_variables.is_empty() {
            return Self::default();
        }
        let mut survey = ScopeAnalysis {
            function,
            plan,
            deferred: FastHashMap::default(),
            open: Vec::new(),
            blocks: Vec::new(),
            mentions: vec![VariableUses::default(); function.local_variables.len()],
            unsettled: function.local_variables.len(),
            dropped: Vec::new(),
        };
        survey.block(function.body, None, BlockKind::Plain);
        survey.place()
    }

    /// The events of a block, looked up once for all its statements.
    pub(super) fn of_block(&self, block: &Block) -> Events {
        if self.blocks.is_empty() {
            Events::default()
        } else {
            self.blocks
                .get(&identity(block))
                .copied()
                .unwrap_or_default()
        }
    }

    /// The kinds of events at a position.
    pub(super) fn event_kinds(&self, events: Events, step: BlockPosition) -> EventKinds {
        let mut event_kinds = EventKinds::default();
        if events.first != events.end {
            for (_, event) in self.at(events, step) {
                match event {
                    Event::Declared(_) => event_kinds.declares = true,
                    Event::ByStore => event_kinds.by_store = true,
                    Event::Dropped => event_kinds.drops = true,
                }
            }
        }
        event_kinds
    }

    /// The events at a position.
    pub(super) fn at(&self, events: Events, step: BlockPosition) -> &[(BlockPosition, Event)] {
        if events.first == events.end {
            return &[];
        }
        let all = &self.events[events.first..events.end];
        let after = &all[all.partition_point(|(at, _)| *at < step)..];
        &after[..after.partition_point(|(at, _)| *at == step)]
    }

    /// Whether a statement of the declaring block is the last that uses the variable.
    pub(super) fn is_last(&self, local: Handle<LocalVariable>, statement: usize) -> bool {
        self.last.get(local.index()).copied() == Some(statement as u32)
    }

    /// The initial value of a variable.
    pub(super) fn initial(
        &self,
        function: FunctionView<'_>,
        local: Handle<LocalVariable>,
    ) -> Option<Handle<Expression>> {
        self.initial
            .get(&local)
            .copied()
            .or(function.local_variables[local].init)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Plain,
    LoopBody,
    Continuing,
}

/// A node of the block tree. Blocks are numbered in this module, and identified by address outside.
struct BlockNode {
    identity: usize,
    parent: Option<(usize, BlockPosition)>,
    depth: usize,
    kind: BlockKind,
    /// The outermost enclosing loop: its parent block and its position.
    outermost_loop: Option<(usize, BlockPosition)>,
}

/// Maximal number of leading stores that may be folded into the initial value, plus one.
const LEVELS: usize = 3;

/// The uses of a variable.
#[derive(Clone, Copy, Default)]
struct VariableUses {
    /// Level `n` ignores the first `n` uses.
    levels: [UseLevel; LEVELS],
    /// Number of uses so far, at most the number of levels.
    count: usize,
    /// The initial value, from stores before all other uses.
    initial: Option<Handle<Expression>>,
}

impl VariableUses {
    /// Whether the lowest common ancestor of every level is the function body, with two different statements: later
    /// uses cannot change that.
    fn is_settled(&self) -> bool {
        let level = &self.levels[LEVELS - 1];
        let is_told =
            |(block, step): (usize, BlockPosition)| block == 0 && level.last > step.statement;
        self.count == LEVELS && level.all.is_some_and(is_told)
    }
}

/// The uses of a variable without the first few.
#[derive(Clone, Copy, Default)]
struct UseLevel {
    all: Option<(usize, BlockPosition)>,
    /// The last statement of the common block that uses the variable.
    last: u32,
    /// The store that is the first use.
    first_store: Option<(usize, BlockPosition, Handle<Expression>)>,
    /// The outermost loop body in which a declaration would have to be visible in `continuing` too.
    seen_behind: Option<usize>,
}

struct ScopeAnalysis<'a> {
    function: FunctionView<'a>,
    plan: &'a LetPlan,
    /// Calls that are written where their result is used.
    deferred: FastHashMap<Handle<Expression>, &'a Statement>,
    /// The worklist; kept to reuse its memory.
    open: Vec<Handle<Expression>>,
    blocks: Vec<BlockNode>,
    mentions: Vec<VariableUses>,
    /// Number of variables whose placement may still change.
    unsettled: usize,
    /// Stores in the function body that are folded into initial values.
    dropped: Vec<BlockPosition>,
}

impl<'a> ScopeAnalysis<'a> {
    fn block(
        &mut self,
        block: &'a Block,
        parent: Option<(usize, BlockPosition)>,
        kind: BlockKind,
    ) -> usize {
        let number = self.blocks.len();
        let outermost_loop = parent.and_then(|(parent, index)| {
            self.blocks[parent]
                .outermost_loop
                .or((kind == BlockKind::LoopBody).then_some((parent, index)))
        });
        self.blocks.push(BlockNode {
            identity: identity(block),
            parent,
            depth: parent.map_or(0, |(parent, _)| self.blocks[parent].depth + 1),
            kind,
            outermost_loop,
        });
        for (index, statement) in block.iter().enumerate() {
            if self.unsettled == 0 {
                break;
            }
            let at = (number, BlockPosition::at(index));
            if let Statement::Emit(range) = statement {
                for (step, expression) in range.clone().enumerate() {
                    if !self.plan.is_written(expression) {
                        continue;
                    }
                    operands::of_expression(&self.function.expressions[expression], |&used| {
                        self.open.push(used);
                    });
                    self.mention((number, BlockPosition::within(index, step)));
                }
                continue;
            }
            if let Statement::Store { pointer, value } = *statement
                && let Expression::LocalVariable(local) = self.function.expressions[pointer]
            {
                // The value may use the variable itself.
                self.open.push(value);
                self.mention(at);
                let mentions = &mut self.mentions[local.index()];
                // Before any other use, a constant store is the initial value.
                if mentions.count == 0 && number == 0 && is_known(self.function, self.plan, value) {
                    mentions.initial = Some(value);
                    self.dropped.push(at.1);
                    continue;
                }
                if let Some(level) = mentions.levels.get_mut(mentions.count) {
                    level.first_store = Some((number, at.1, value));
                }
                self.open.push(pointer);
                self.mention(at);
                continue;
            }
            match operands::result_of(statement) {
                Some(result) if self.plan.is_deferred(result) => {
                    self.deferred.insert(result, statement);
                }
                _ => {
                    operands::of_statement(statement, |&used| self.open.push(used));
                    self.mention(at);
                }
            }
            match statement {
                Statement::Block(block) => {
                    self.block(block, Some(at), BlockKind::Plain);
                }
                Statement::If { accept, reject, .. } => {
                    self.block(accept, Some(at), BlockKind::Plain);
                    self.block(reject, Some(at), BlockKind::Plain);
                }
                Statement::Switch { cases, .. } => {
                    for case in cases {
                        self.block(&case.body, Some(at), BlockKind::Plain);
                    }
                }
                Statement::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    let inside = self.block(body, Some(at), BlockKind::LoopBody);
                    let end = (inside, BlockPosition::at(body.len()));
                    let last = self.block(continuing, Some(end), BlockKind::Continuing);
                    if let Some(condition) = *break_if {
                        self.open.push(condition);
                        self.mention((last, BlockPosition::at(continuing.len())));
                    }
                }
                _ => {}
            }
        }
        number
    }

    /// Records the variables used by the expressions on the worklist.
    fn mention(&mut self, at: (usize, BlockPosition)) {
        let function = self.function;
        while let Some(expression) = self.open.pop() {
            if !self.plan.facts[expression.index()].may_mention_local() {
                continue;
            }
            match function.expressions[expression] {
                Expression::LocalVariable(local) => self.mention_local(local, at),
                ref other => operands::of_expression(other, |&used| {
                    if self.plan.facts[used.index()].may_mention_local() {
                        self.open.push(used);
                    }
                }),
            }
            if !self.deferred.is_empty()
                && let Some(statement) = self.deferred.get(&expression)
            {
                operands::of_statement(statement, |&used| self.open.push(used));
            }
        }
    }

    fn mention_local(&mut self, local: Handle<LocalVariable>, at: (usize, BlockPosition)) {
        let mentions = &mut self.mentions[local.index()];
        let was_settled = mentions.is_settled();
        mentions.count = LEVELS.min(mentions.count + 1);
        for level in &mut mentions.levels[..mentions.count] {
            // Later uses in the same block do not change the common ancestor.
            if level.all.is_some_and(|known| known.0 == at.0) {
                level.last = level.last.max(at.1.statement);
                continue;
            }
            let known = level.all.map(|known| (known, level.last));
            let (all, last, crossed) = merge(&self.blocks, known, at);
            level.all = Some(all);
            level.last = last;
            if let Some(body) = crossed {
                let depth = |block: usize| self.blocks[block].depth;
                let known = level.seen_behind;
                let outer = known.filter(|known| depth(*known) < depth(body));
                level.seen_behind = Some(outer.unwrap_or(body));
            }
        }
        if !was_settled && mentions.is_settled() {
            self.unsettled -= 1;
        }
    }

    fn place(self) -> LocalScopes {
        let mut locals = LocalScopes {
            last: vec![u32::MAX; self.mentions.len()],
            ..LocalScopes::default()
        };
        let mut found: Vec<(usize, BlockPosition, Event)> = Vec::new();
        let dropped = self.dropped.iter();
        found.extend(dropped.map(|step| (0, *step, Event::Dropped)));
        for (local, _) in self.function.local_variables.iter() {
            let mentions = &self.mentions[local.index()];
            if let Some(value) = mentions.initial {
                locals.initial.insert(local, value);
            }
            let outside =
                |at: (usize, BlockPosition)| self.blocks[at.0].outermost_loop.unwrap_or(at);
            for (index, level) in mentions.levels.iter().enumerate() {
                let Some(all) = level.all else { break };
                let store = level
                    .first_store
                    .filter(|store| (store.0, store.1) == all && level.seen_behind != Some(all.0));
                match store {
                    Some((block, _, value))
                        if index + 1 < LEVELS
                            && is_known(self.function, self.plan, value)
                            && self.blocks[block].outermost_loop.is_none() =>
                    {
                        found.push((all.0, all.1, Event::Dropped));
                        locals.initial.insert(local, value);
                        continue;
                    }
                    Some(_) => {
                        found.push((all.0, all.1, Event::ByStore));
                        locals.last[local.index()] = level.last;
                    }
                    None => {
                        let (block, step) = outside(all);
                        found.push((block, step, Event::Declared(local)));
                        let is_there = (block, step) == all;
                        let last = if is_there { level.last } else { step.statement };
                        locals.last[local.index()] = last;
                    }
                }
                break;
            }
        }
        // The sort is stable: variables declared at the same position keep their order.
        found.sort_by_key(|(block, step, _)| (*block, *step));
        for of_block in found.chunk_by(|left, right| left.0 == right.0) {
            let first = locals.events.len();
            let events = of_block.iter().map(|(_, step, event)| (*step, *event));
            locals.events.extend(events);
            let end = locals.events.len();
            let identity = self.blocks[of_block[0].0].identity;
            locals.blocks.insert(identity, Events { first, end });
        }
        locals
    }
}

/// Whether a value is a constant or an override, which front ends evaluate before the function starts.
fn is_known(function: FunctionView<'_>, plan: &LetPlan, value: Handle<Expression>) -> bool {
    (plan.facts[value.index()].constant && !plan.facts[value.index()].bound)
        || matches!(function.expressions[value], Expression::Override(_))
}

/// The lowest common ancestor of two uses: its position, the last statement of its block with a use, and the body of
/// the outermost loop whose `continuing` block is on the path.
fn merge(
    blocks: &[BlockNode],
    known: Option<((usize, BlockPosition), u32)>,
    at: (usize, BlockPosition),
) -> ((usize, BlockPosition), u32, Option<usize>) {
    let Some((known, mut last)) = known else {
        return (at, at.1.statement, None);
    };
    let (mut left, mut right) = (known, at);
    let mut crossed = None;
    while left.0 != right.0 {
        let is_left = blocks[left.0].depth >= blocks[right.0].depth;
        let deeper = if is_left { &mut left } else { &mut right };
        let is_continuing = blocks[deeper.0].kind == BlockKind::Continuing;
        match blocks[deeper.0].parent {
            Some(parent) => *deeper = parent,
            None => break,
        }
        if is_left {
            last = left.1.statement;
        }
        if is_continuing {
            crossed = Some(if is_left { left.0 } else { right.0 });
        }
    }
    let first = left.1.min(right.1);
    ((left.0, first), last.max(right.1.statement), crossed)
}

//! Where each local variable is declared.
//!
//! naga declares all of a function's variables at its start. Here each is declared in the
//! innermost block that has all its uses, at the first of them, so that blocks side by side may
//! use one name. A variable that is stored to before anything else is declared by that store. What
//! always holds: a variable that keeps its value from one round of a loop to the next is declared
//! outside the loop; a variable that is never used is not declared.

use anywarp_program::naga::{Block, Expression, FastHashMap, Handle, LocalVariable, Statement};

use super::View;
use super::flow::identity;
use super::plan::Plan;
use crate::write::operands;

/// A statement of a block, and of several expressions that it evaluates the one that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    statement: u32,
    expression: u32,
}

impl Step {
    /// The start of a statement.
    pub(super) fn at(statement: usize) -> Self {
        Self::within(statement, 0)
    }

    /// An expression that a statement evaluates. naga's arenas are shorter than 32 bits count.
    pub(super) fn within(statement: usize, expression: usize) -> Self {
        Self {
            statement: statement as u32,
            expression: expression as u32,
        }
    }
}

/// What happens to a variable at a step of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// It is declared before.
    Declared(Handle<LocalVariable>),
    /// It is declared by the store.
    ByStore,
    /// The store is not written, for the variable starts with its value.
    Dropped,
}

/// Which events there are at a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Happens {
    pub(super) declares: bool,
    pub(super) by_store: bool,
    pub(super) drops: bool,
}

/// The events of one block, as a range of all of a function's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Events {
    first: usize,
    end: usize,
}

/// The declarations of one function.
#[derive(Debug, Default)]
pub(super) struct Locals {
    /// Those blocks in which there are any.
    blocks: FastHashMap<usize, Events>,
    /// Block by block, in the order of the text.
    events: Vec<(Step, Event)>,
    /// Initial values that replace the variable's own.
    initial: FastHashMap<Handle<LocalVariable>, Handle<Expression>>,
    /// For each variable the last statement that mentions it, in the block that declares it.
    last: Vec<u32>,
}

impl Locals {
    pub(super) fn new(function: View<'_>, plan: &Plan) -> Self {
        // Most small functions have no variables.
        if function.local_variables.is_empty() {
            return Self::default();
        }
        let mut survey = Survey {
            function,
            plan,
            deferred: FastHashMap::default(),
            open: Vec::new(),
            blocks: Vec::new(),
            mentions: vec![Mentions::default(); function.local_variables.len()],
            unsettled: function.local_variables.len(),
            dropped: Vec::new(),
        };
        survey.block(function.body, None, Kind::Plain);
        survey.place()
    }

    /// The events of a block, found once for all its statements.
    pub(super) fn of_block(&self, block: &Block) -> Events {
        match self.blocks.is_empty() {
            true => Events::default(),
            false => self
                .blocks
                .get(&identity(block))
                .copied()
                .unwrap_or_default(),
        }
    }

    /// Which events there are at one step of a block.
    pub(super) fn happens(&self, events: Events, step: Step) -> Happens {
        let mut happens = Happens::default();
        if events.first != events.end {
            for (_, event) in self.at(events, step) {
                match event {
                    Event::Declared(_) => happens.declares = true,
                    Event::ByStore => happens.by_store = true,
                    Event::Dropped => happens.drops = true,
                }
            }
        }
        happens
    }

    /// The events at one step of a block.
    pub(super) fn at(&self, events: Events, step: Step) -> &[(Step, Event)] {
        if events.first == events.end {
            return &[];
        }
        let all = &self.events[events.first..events.end];
        let after = &all[all.partition_point(|(at, _)| *at < step)..];
        &after[..after.partition_point(|(at, _)| *at == step)]
    }

    /// Whether nothing after a statement of the block that declares a variable mentions it.
    pub(super) fn is_last(&self, local: Handle<LocalVariable>, statement: usize) -> bool {
        self.last.get(local.index()).copied() == Some(statement as u32)
    }

    /// What a variable starts with.
    pub(super) fn initial(
        &self,
        function: View<'_>,
        local: Handle<LocalVariable>,
    ) -> Option<Handle<Expression>> {
        self.initial
            .get(&local)
            .copied()
            .or(function.local_variables[local].init)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    LoopBody,
    Continuing,
}

/// A block in the tree of blocks. Blocks are numbered here, known by identity outside.
struct Node {
    identity: usize,
    parent: Option<(usize, Step)>,
    depth: usize,
    kind: Kind,
    /// The outermost loop around it, as the block and the statement that the loop is.
    outermost_loop: Option<(usize, Step)>,
}

/// How many mentions may be stores that say what a variable starts with, one after the other.
const LEVELS: usize = 3;

/// Where a variable is mentioned.
#[derive(Clone, Copy, Default)]
struct Mentions {
    /// Each level leaves out one more of the first mentions.
    levels: [Level; LEVELS],
    /// How many there were so far, counted up to that of the levels.
    count: usize,
    /// What it starts with, by stores that came before all mentions.
    initial: Option<Handle<Expression>>,
}

impl Mentions {
    /// Whether every level has come to two statements of the outermost block, from where later mentions
    /// lead nowhere.
    fn is_settled(&self) -> bool {
        let level = &self.levels[LEVELS - 1];
        let is_told = |(block, step): (usize, Step)| block == 0 && level.last > step.statement;
        self.count == LEVELS && level.all.is_some_and(is_told)
    }
}

/// Where a variable is mentioned, the first few times aside.
#[derive(Clone, Copy, Default)]
struct Level {
    all: Option<(usize, Step)>,
    /// The last statement of that block with a mention.
    last: u32,
    /// The store that comes before all else.
    first_store: Option<(usize, Step, Handle<Expression>)>,
    /// The outermost loop's body such that a declaration in it would have to be seen behind it.
    seen_behind: Option<usize>,
}

struct Survey<'a> {
    function: View<'a>,
    plan: &'a Plan,
    /// Statements that are written where their result is used.
    deferred: FastHashMap<Handle<Expression>, &'a Statement>,
    /// What is left to visit, kept for its memory.
    open: Vec<Handle<Expression>>,
    blocks: Vec<Node>,
    mentions: Vec<Mentions>,
    /// The variables of which more mentions would tell something.
    unsettled: usize,
    /// Stores in the outermost block that only say what a variable starts with.
    dropped: Vec<Step>,
}

impl<'a> Survey<'a> {
    fn block(&mut self, block: &'a Block, parent: Option<(usize, Step)>, kind: Kind) -> usize {
        let number = self.blocks.len();
        let outermost_loop = parent.and_then(|(parent, index)| {
            self.blocks[parent]
                .outermost_loop
                .or((kind == Kind::LoopBody).then_some((parent, index)))
        });
        self.blocks.push(Node {
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
            let at = (number, Step::at(index));
            if let Statement::Emit(range) = statement {
                for (step, expression) in range.clone().enumerate() {
                    if !self.plan.is_written(expression) {
                        continue;
                    }
                    operands::of_expression(&self.function.expressions[expression], |&used| {
                        self.open.push(used);
                    });
                    self.mention((number, Step::within(index, step)));
                }
                continue;
            }
            if let Statement::Store { pointer, value } = *statement
                && let Expression::LocalVariable(local) = self.function.expressions[pointer]
            {
                // The value may mention the variable itself.
                self.open.push(value);
                self.mention(at);
                let mentions = &mut self.mentions[local.index()];
                // Before anything else happens, a constant is what the variable starts with.
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
                    self.block(block, Some(at), Kind::Plain);
                }
                Statement::If { accept, reject, .. } => {
                    self.block(accept, Some(at), Kind::Plain);
                    self.block(reject, Some(at), Kind::Plain);
                }
                Statement::Switch { cases, .. } => {
                    for case in cases {
                        self.block(&case.body, Some(at), Kind::Plain);
                    }
                }
                Statement::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    let inside = self.block(body, Some(at), Kind::LoopBody);
                    let end = (inside, Step::at(body.len()));
                    let last = self.block(continuing, Some(end), Kind::Continuing);
                    if let Some(condition) = *break_if {
                        self.open.push(condition);
                        self.mention((last, Step::at(continuing.len())));
                    }
                }
                _ => {}
            }
        }
        number
    }

    /// Notes the variables in the text of the expressions that are open.
    fn mention(&mut self, at: (usize, Step)) {
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

    fn mention_local(&mut self, local: Handle<LocalVariable>, at: (usize, Step)) {
        let mentions = &mut self.mentions[local.index()];
        let was_settled = mentions.is_settled();
        mentions.count = LEVELS.min(mentions.count + 1);
        for level in &mut mentions.levels[..mentions.count] {
            // What comes later in the same block changes nothing.
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

    fn place(self) -> Locals {
        let mut locals = Locals {
            last: vec![u32::MAX; self.mentions.len()],
            ..Locals::default()
        };
        let mut found: Vec<(usize, Step, Event)> = Vec::new();
        let dropped = self.dropped.iter();
        found.extend(dropped.map(|step| (0, *step, Event::Dropped)));
        for (local, _) in self.function.local_variables.iter() {
            let mentions = &self.mentions[local.index()];
            if let Some(value) = mentions.initial {
                locals.initial.insert(local, value);
            }
            let outside = |at: (usize, Step)| self.blocks[at.0].outermost_loop.unwrap_or(at);
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
        // Variables that are declared at one step stay in their order.
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

/// What a front end takes for a constant or an override, and so sets before the function starts.
fn is_known(function: View<'_>, plan: &Plan, value: Handle<Expression>) -> bool {
    (plan.facts[value.index()].constant && !plan.facts[value.index()].bound)
        || matches!(function.expressions[value], Expression::Override(_))
}

/// The statement that has both, the last of its block with a mention, and the body of the outermost loop
/// whose `continuing` block the way there left.
fn merge(
    blocks: &[Node],
    known: Option<((usize, Step), u32)>,
    at: (usize, Step),
) -> ((usize, Step), u32, Option<usize>) {
    let Some((known, mut last)) = known else {
        return (at, at.1.statement, None);
    };
    let (mut left, mut right) = (known, at);
    let mut crossed = None;
    while left.0 != right.0 {
        let is_left = blocks[left.0].depth >= blocks[right.0].depth;
        let deeper = if is_left { &mut left } else { &mut right };
        let is_continuing = blocks[deeper.0].kind == Kind::Continuing;
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

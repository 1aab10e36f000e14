//! Where each local variable is declared.
//!
//! naga declares all of a function's variables at its start. Here each is declared in the
//! innermost block that has all its uses, at the first of them, so that blocks side by side may
//! use one name. A variable that is stored to before anything else is declared by that store. What
//! always holds: a variable that keeps its value from one round of a loop to the next is declared
//! outside the loop; a variable that is never used is not declared.

use anywarp_program::naga::{
    Block, Expression, FastHashMap, FastHashSet, Handle, LocalVariable, Statement,
};

use super::View;
use super::flow::identity;
use super::plan::Plan;
use crate::write::operands;

/// A place in the text, by its block and its step there.
pub(super) type Position = (usize, Step);

/// A statement of a block, and of several expressions that it evaluates the one that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Step {
    pub(super) statement: usize,
    pub(super) expression: usize,
}

impl Step {
    /// The start of a statement.
    pub(super) fn at(statement: usize) -> Self {
        Self {
            statement,
            expression: 0,
        }
    }
}

/// The declarations of one function.
#[derive(Debug, Default)]
pub(super) struct Locals {
    /// Declared before a statement.
    before: FastHashMap<Position, Vec<Handle<LocalVariable>>>,
    /// Declared by a store.
    by_store: FastHashSet<Position>,
    /// Stores that became initial values.
    dropped: FastHashSet<Position>,
    /// Initial values that replace the variable's own.
    initial: FastHashMap<Handle<LocalVariable>, Handle<Expression>>,
}

impl Locals {
    pub(super) fn new(function: View<'_>, plan: &Plan) -> Self {
        let mut survey = Survey {
            function,
            plan,
            deferred: FastHashMap::default(),
            open: Vec::new(),
            blocks: Vec::new(),
            mentions: vec![Mentions::default(); function.local_variables.len()],
            dropped: Vec::new(),
        };
        // Most small functions have no variables.
        if function.local_variables.is_empty() {
            return Self::default();
        }
        survey.block(function.body, None, Kind::Plain);
        survey.place()
    }

    /// The variables that are declared before a statement.
    pub(super) fn before(&self, position: Position) -> &[Handle<LocalVariable>] {
        match self.before.is_empty() {
            true => &[],
            false => self.before.get(&position).map_or(&[], Vec::as_slice),
        }
    }

    /// Whether a store declares its variable.
    pub(super) fn declares(&self, position: Position) -> bool {
        !self.by_store.is_empty() && self.by_store.contains(&position)
    }

    /// Whether a store is not written, for the variable starts with its value.
    pub(super) fn drops(&self, position: Position) -> bool {
        !self.dropped.is_empty() && self.dropped.contains(&position)
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

/// Where a variable is mentioned, the first few times aside.
#[derive(Clone, Copy, Default)]
struct Level {
    all: Option<(usize, Step)>,
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
            let at = (number, Step::at(index));
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
                Statement::Emit(range) => {
                    for (step, expression) in range.clone().enumerate() {
                        if !self.plan.is_written(expression) {
                            continue;
                        }
                        let at = (
                            number,
                            Step {
                                statement: index,
                                expression: step,
                            },
                        );
                        operands::of_expression(&self.function.expressions[expression], |&used| {
                            self.open.push(used);
                        });
                        self.mention(at);
                    }
                }
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
            if self.plan.facts[expression.index()].bound {
                continue;
            }
            match function.expressions[expression] {
                Expression::LocalVariable(local) => self.mention_local(local, at),
                ref other => operands::of_expression(other, |&used| self.open.push(used)),
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
        mentions.count = LEVELS.min(mentions.count + 1);
        for level in &mut mentions.levels[..mentions.count] {
            // What comes later in the same block changes nothing.
            if level.all.is_some_and(|known| known.0 == at.0) {
                continue;
            }
            let (all, crossed) = merge(&self.blocks, level.all, at);
            level.all = Some(all);
            if let Some(body) = crossed {
                let depth = |block: usize| self.blocks[block].depth;
                let known = level.seen_behind;
                let outer = known.filter(|known| depth(*known) < depth(body));
                level.seen_behind = Some(outer.unwrap_or(body));
            }
        }
    }

    fn place(self) -> Locals {
        let mut locals = Locals::default();
        if let Some(outermost) = self.blocks.first() {
            let dropped = self.dropped.iter().map(|step| (outermost.identity, *step));
            locals.dropped.extend(dropped);
        }
        for (local, _) in self.function.local_variables.iter() {
            let mentions = self.mentions[local.index()];
            if let Some(value) = mentions.initial {
                locals.initial.insert(local, value);
            }
            let outside = |at: (usize, Step)| self.blocks[at.0].outermost_loop.unwrap_or(at);
            let position = |at: (usize, Step)| (self.blocks[at.0].identity, at.1);
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
                        locals.dropped.insert(position(all));
                        locals.initial.insert(local, value);
                        continue;
                    }
                    Some(_) => {
                        locals.by_store.insert(position(all));
                    }
                    None => {
                        let before = locals.before.entry(position(outside(all)));
                        before.or_default().push(local);
                    }
                }
                break;
            }
        }
        locals
    }
}

/// What a front end takes for a constant or an override, and so sets before the function starts.
fn is_known(function: View<'_>, plan: &Plan, value: Handle<Expression>) -> bool {
    (plan.facts[value.index()].constant && !plan.facts[value.index()].bound)
        || matches!(function.expressions[value], Expression::Override(_))
}

/// The statement that has both, and the body of the outermost loop whose `continuing` block the
/// way there left.
fn merge(
    blocks: &[Node],
    known: Option<(usize, Step)>,
    at: (usize, Step),
) -> ((usize, Step), Option<usize>) {
    let Some(known) = known else {
        return (at, None);
    };
    let (mut left, mut right) = (known, at);
    let mut crossed = None;
    while left.0 != right.0 {
        let deeper = if blocks[left.0].depth >= blocks[right.0].depth {
            &mut left
        } else {
            &mut right
        };
        let is_continuing = blocks[deeper.0].kind == Kind::Continuing;
        match blocks[deeper.0].parent {
            Some(parent) => *deeper = parent,
            None => break,
        }
        if is_continuing {
            crossed = Some(deeper.0);
        }
    }
    ((left.0, left.1.min(right.1)), crossed)
}

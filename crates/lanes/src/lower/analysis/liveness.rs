//! Live variable analysis on naga's structured statements.
//!
//! In: a function. Out: for each compound statement, the variables that are live after it, and those that are live
//! for lanes inactive in it. naga declares all variables at the start of a function, so this is the only way to see
//! that one is local to the body of a loop.
//!
//! Algorithm: backward data-flow analysis, repeated until the live sets at loop headers reach a fixpoint. Each set
//! is restricted to the variables mentioned in the statement, since no others are queried. So the sets take space
//! linear in the size of the function times its nesting depth, not variables times statements.

use std::collections::HashMap;

use anywarp_program::work::{Meter, OverBudget};
use naga::{Block, Expression, Function, Handle, Statement};

use crate::lower::analysis::bit_set::{Bits, Members};

/// Live variables around a compound statement, restricted to those that it mentions.
#[derive(Clone, Debug, Default)]
pub(in crate::lower) struct LiveSet {
    /// Live after the statement.
    pub(in crate::lower) after: Members,
    /// For each nested block, what is live for lanes inactive in it, restricted to variables that the block
    /// mentions. An `if` has two blocks, a `switch` one per case. A loop has two entries: [`LOOP`] for lanes that have
    /// left it, and [`AFTER_CONTINUE`] for these and lanes that wait for `continuing`.
    pub(in crate::lower) inactive_live: Vec<Members>,
    /// Of a loop: live at its header, that is, at the start of the next iteration.
    pub(in crate::lower) loop_header: Members,
}

/// The block of a loop up to the first `continue` of the body, and again from the start of `continuing`, where lanes
/// that executed `continue` are active again.
pub(in crate::lower) const LOOP: usize = 0;

/// The block of a loop between the first `continue` of the body and the start of `continuing`.
pub(in crate::lower) const AFTER_CONTINUE: usize = 1;

/// The live sets of a function.
pub(in crate::lower) struct LiveSets {
    statements: HashMap<*const Statement, LiveSet>,
}

impl LiveSets {
    pub(in crate::lower) fn of(
        function: &Function,
        roots: &[Option<u32>],
        meter: &Meter,
    ) -> Result<Self, OverBudget> {
        let mut walk = LivenessWalk {
            function,
            roots,
            meter,
            none: Bits::new(function.local_variables.len()),
            statements: HashMap::new(),
            mentioned: Vec::new(),
            changed: true,
        };
        while walk.changed {
            walk.changed = false;
            walk.mentioned.clear();
            let mut live = walk.none.clone();
            let none = walk.none.clone();
            walk.block(
                &function.body,
                &mut live,
                Exits {
                    on_break: &none,
                    on_continue: &none,
                },
            )?;
        }
        Ok(Self {
            statements: walk.statements,
        })
    }

    /// The live sets of a compound statement.
    pub(in crate::lower) fn of_statement(&self, statement: &Statement) -> &LiveSet {
        &self.statements[&std::ptr::from_ref(statement)]
    }
}

/// For each expression, the local variable that it points into.
pub(in crate::lower) fn roots(function: &Function) -> Vec<Option<u32>> {
    let mut roots: Vec<Option<u32>> = Vec::with_capacity(function.expressions.len());
    for (_, expression) in function.expressions.iter() {
        let root = match *expression {
            Expression::LocalVariable(local) => Some(local.index() as u32),
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                roots[base.index()]
            }
            _ => None,
        };
        roots.push(root);
    }
    roots
}

/// Live sets at the targets of jumps out of a block.
#[derive(Clone, Copy)]
struct Exits<'a> {
    on_break: &'a Bits,
    on_continue: &'a Bits,
}

struct LivenessWalk<'a> {
    function: &'a Function,
    roots: &'a [Option<u32>],
    meter: &'a Meter,
    none: Bits,
    statements: HashMap<*const Statement, LiveSet>,
    /// Variables read or written so far, in the order of the walk.
    mentioned: Vec<u32>,
    changed: bool,
}

impl LivenessWalk<'_> {
    /// Transfer function of a block, backwards: updates `live` from after the block to before it.
    fn block(
        &mut self,
        block: &Block,
        live: &mut Bits,
        exits: Exits<'_>,
    ) -> Result<(), OverBudget> {
        self.meter.tick(block.len() as u64)?;
        for statement in block.iter().rev() {
            self.statement(statement, live, exits)?;
        }
        Ok(())
    }

    fn read(&mut self, pointer: Handle<Expression>, live: &mut Bits) {
        if let Some(root) = self.roots[pointer.index()] {
            live.insert(root as usize);
            self.mentioned.push(root);
        }
    }

    /// The variables mentioned since a position in the list, without duplicates.
    fn mentioned(&mut self, since: usize) -> Result<Vec<u32>, OverBudget> {
        let mut inside = self.mentioned.split_off(since);
        self.meter.tick(inside.len() as u64)?;
        inside.sort_unstable();
        inside.dedup();
        self.mentioned.extend_from_slice(&inside);
        Ok(inside)
    }

    fn statement(
        &mut self,
        statement: &Statement,
        live: &mut Bits,
        exits: Exits<'_>,
    ) -> Result<(), OverBudget> {
        match *statement {
            Statement::Emit(ref range) => {
                for handle in range.clone() {
                    if let Expression::Load { pointer } = self.function.expressions[handle] {
                        self.read(pointer, live);
                    }
                }
            }
            Statement::Store { pointer, .. } => {
                self.mentioned.extend(self.roots[pointer.index()]);
                if let Expression::LocalVariable(local) = self.function.expressions[pointer] {
                    live.remove(local.index());
                }
            }
            Statement::Call { ref arguments, .. } => {
                arguments
                    .iter()
                    .for_each(|argument| self.read(*argument, live));
            }
            Statement::Return { .. } | Statement::Kill => live.clone_from(&self.none),
            Statement::Break => live.clone_from(exits.on_break),
            Statement::Continue => live.clone_from(exits.on_continue),
            Statement::Block(ref block) => self.block(block, live, exits)?,
            Statement::If {
                ref accept,
                ref reject,
                ..
            } => self.branch(statement, [accept, reject], live, exits)?,
            Statement::Switch { ref cases, .. } => self.switch(statement, cases, live, exits)?,
            Statement::Loop {
                ref body,
                ref continuing,
                break_if,
            } => self.whole_loop(statement, (body, continuing), break_if.is_some(), live)?,
            _ => {}
        }
        Ok(())
    }

    fn branch(
        &mut self,
        statement: &Statement,
        [accept, reject]: [&Block; 2],
        live: &mut Bits,
        exits: Exits<'_>,
    ) -> Result<(), OverBudget> {
        self.meter.tick(live.work())?;
        let since = self.mentioned.len();
        let after = live.clone();
        let mut in_reject = after.clone();
        self.block(reject, &mut in_reject, exits)?;
        let inside_reject = self.mentioned(since)?;
        let middle = self.mentioned.len();
        self.block(accept, live, exits)?;
        let inside_accept = self.mentioned(middle)?;
        live.add(&in_reject);
        let keep_accept = inside_accept
            .into_iter()
            .filter(|local| after.contains(*local as usize) || in_reject.contains(*local as usize))
            .collect();
        let inactive_live = vec![keep_accept, after.members(&inside_reject)];
        let inside = self.mentioned(since)?;
        self.note(statement, after.members(&inside), inactive_live);
        Ok(())
    }

    fn switch(
        &mut self,
        statement: &Statement,
        cases: &[naga::SwitchCase],
        live: &mut Bits,
        exits: Exits<'_>,
    ) -> Result<(), OverBudget> {
        let since = self.mentioned.len();
        let after = live.clone();
        let exits = Exits {
            on_break: &after,
            ..exits
        };
        let mut inactive_live = vec![Members::default(); cases.len()];
        let mut later = after.clone();
        let mut before = after.clone();
        for (place, case) in cases.iter().enumerate().rev() {
            self.meter.tick(live.work())?;
            if !case.fall_through {
                before.clone_from(&after);
            }
            let middle = self.mentioned.len();
            self.block(&case.body, &mut before, exits)?;
            inactive_live[place] = later.members(&self.mentioned(middle)?);
            later.add(&before);
        }
        *live = later;
        let inside = self.mentioned(since)?;
        self.note(statement, after.members(&inside), inactive_live);
        Ok(())
    }

    fn whole_loop(
        &mut self,
        statement: &Statement,
        (body, continuing): (&Block, &Block),
        ends_below: bool,
        live: &mut Bits,
    ) -> Result<(), OverBudget> {
        self.meter.tick(live.work())?;
        let since = self.mentioned.len();
        let after = live.clone();
        let mut next = self.none.clone();
        let known = self.statements.get(&std::ptr::from_ref(statement));
        for local in known.into_iter().flat_map(|live| live.loop_header.iter()) {
            next.insert(local);
        }
        if ends_below {
            next.add(&after);
        }
        let none = self.none.clone();
        let inside = Exits {
            on_break: &none,
            on_continue: &none,
        };
        self.block(continuing, &mut next, inside)?;
        let mut loop_header = next.clone();
        let exits = Exits {
            on_break: &after,
            on_continue: &next,
        };
        self.block(body, &mut loop_header, exits)?;
        let mut waiting = after.clone();
        if continues(body) {
            waiting.add(&next);
        }
        let inside = self.mentioned(since)?;
        let mentioned_head = loop_header.members(&inside);
        *live = loop_header;
        let statements = self.note(
            statement,
            after.members(&inside),
            vec![after.members(&inside), waiting.members(&inside)],
        );
        let is_new = statements.loop_header != mentioned_head;
        statements.loop_header = mentioned_head;
        self.changed |= is_new;
        Ok(())
    }

    /// Records live sets. The set at a loop header is kept from the previous round.
    fn note(
        &mut self,
        statement: &Statement,
        after: Members,
        inactive_live: Vec<Members>,
    ) -> &mut LiveSet {
        let statements = self
            .statements
            .entry(std::ptr::from_ref(statement))
            .or_default();
        statements.after = after;
        statements.inactive_live = inactive_live;
        statements
    }
}

/// Whether a loop body contains a `continue` of that loop.
pub(in crate::lower) fn continues(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Block(block) => continues(block),
        Statement::If { accept, reject, .. } => continues(accept) || continues(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| continues(&case.body)),
        _ => false,
    })
}

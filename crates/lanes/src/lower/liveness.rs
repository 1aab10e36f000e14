//! Which variables of a function may still be read, and where.
//!
//! In: a function. Out: for each statement that holds others, the variables that are read behind it, and those whose
//! value the lanes that do not take part may still need. naga declares every variable at the head of a function, so
//! this is the only way to see that one belongs to the body of a loop.
//!
//! It goes over the function from the end to the beginning, until what is live at the heads of loops no longer grows.

use std::collections::HashMap;

use naga::{Block, Expression, Function, Handle, Statement};

use super::bits::Bits;

/// What is live around a statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    /// Read behind it.
    pub(super) after: Bits,
    /// What lanes that do not take part may need, for each of its blocks: of an `if` the two branches, of a loop
    /// one for both blocks, of a `switch` the cases.
    pub(super) keep: Vec<Bits>,
    /// Of a loop: what is read by the next iteration.
    pub(super) head: Bits,
}

/// The variables that are live in a function.
pub(super) struct Liveness {
    around: HashMap<*const Statement, Around>,
}

impl Liveness {
    pub(super) fn of(function: &Function, roots: &[Option<u32>]) -> Self {
        let mut walk = Walk {
            function,
            roots,
            none: Bits::new(function.local_variables.len()),
            around: HashMap::new(),
            changed: true,
        };
        while walk.changed {
            walk.changed = false;
            let mut live = walk.none.clone();
            let none = walk.none.clone();
            walk.block(
                &function.body,
                &mut live,
                Exits {
                    on_break: &none,
                    on_continue: &none,
                },
            );
        }
        Self {
            around: walk.around,
        }
    }

    /// What is live around a statement that holds others.
    pub(super) fn around(&self, statement: &Statement) -> &Around {
        &self.around[&std::ptr::from_ref(statement)]
    }
}

/// For each expression the variable that it points into.
pub(super) fn roots(function: &Function) -> Vec<Option<u32>> {
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

/// What is live where control leaves a block.
#[derive(Clone, Copy)]
struct Exits<'a> {
    on_break: &'a Bits,
    on_continue: &'a Bits,
}

struct Walk<'a> {
    function: &'a Function,
    roots: &'a [Option<u32>],
    none: Bits,
    around: HashMap<*const Statement, Around>,
    changed: bool,
}

impl Walk<'_> {
    /// Goes backwards over a block: from what is live behind it to what is live before it.
    fn block(&mut self, block: &Block, live: &mut Bits, exits: Exits<'_>) {
        for statement in block.iter().rev() {
            self.statement(statement, live, exits);
        }
    }

    fn read(&self, pointer: Handle<Expression>, live: &mut Bits) {
        if let Some(root) = self.roots[pointer.index()] {
            live.insert(root as usize);
        }
    }

    fn statement(&mut self, statement: &Statement, live: &mut Bits, exits: Exits<'_>) {
        match *statement {
            Statement::Emit(ref range) => {
                for handle in range.clone() {
                    if let Expression::Load { pointer } = self.function.expressions[handle] {
                        self.read(pointer, live);
                    }
                }
            }
            Statement::Store { pointer, .. } => {
                if let Expression::LocalVariable(local) = self.function.expressions[pointer] {
                    live.remove(local.index());
                }
            }
            Statement::Call { ref arguments, .. } => {
                arguments.iter().for_each(|it| self.read(*it, live));
            }
            Statement::Return { .. } | Statement::Kill => *live = self.none.clone(),
            Statement::Break => *live = exits.on_break.clone(),
            Statement::Continue => *live = exits.on_continue.clone(),
            Statement::Block(ref block) => self.block(block, live, exits),
            Statement::If {
                ref accept,
                ref reject,
                ..
            } => {
                let after = live.clone();
                let mut in_reject = after.clone();
                self.block(reject, &mut in_reject, exits);
                self.block(accept, live, exits);
                let mut keep = after.clone();
                keep.add(&in_reject);
                live.add(&in_reject);
                let keep = vec![keep, after.clone()];
                self.note(statement, after, keep);
            }
            Statement::Switch { ref cases, .. } => {
                let after = live.clone();
                let exits = Exits {
                    on_break: &after,
                    ..exits
                };
                let mut keep = vec![after.clone(); cases.len()];
                let mut later = after.clone();
                let mut next = after.clone();
                for (place, case) in cases.iter().enumerate().rev() {
                    keep[place] = later.clone();
                    let mut before = match case.fall_through {
                        true => next,
                        false => after.clone(),
                    };
                    self.block(&case.body, &mut before, exits);
                    later.add(&before);
                    next = before;
                }
                *live = later;
                self.note(statement, after, keep);
            }
            Statement::Loop {
                ref body,
                ref continuing,
                break_if,
            } => self.whole_loop(statement, (body, continuing), break_if.is_some(), live),
            _ => {}
        }
    }

    fn whole_loop(
        &mut self,
        statement: &Statement,
        (body, continuing): (&Block, &Block),
        ends_below: bool,
        live: &mut Bits,
    ) {
        let after = live.clone();
        let known = self.around.get(&std::ptr::from_ref(statement));
        let mut next = known.map_or_else(|| self.none.clone(), |it| it.head.clone());
        if ends_below {
            next.add(&after);
        }
        let none = self.none.clone();
        let inside = Exits {
            on_break: &none,
            on_continue: &none,
        };
        self.block(continuing, &mut next, inside);
        let mut head = next.clone();
        let exits = Exits {
            on_break: &after,
            on_continue: &next,
        };
        self.block(body, &mut head, exits);
        let mut keep = after.clone();
        if continues(body) {
            keep.add(&next);
        }
        *live = head.clone();
        let known = self.note(statement, after, vec![keep]);
        self.changed |= known.head != head;
        if let Some(around) = self.around.get_mut(&std::ptr::from_ref(statement)) {
            around.head = head;
        }
    }

    /// Notes what is live around a statement; gives what was known.
    fn note(&mut self, statement: &Statement, after: Bits, keep: Vec<Bits>) -> Around {
        let around = self.around.entry(std::ptr::from_ref(statement));
        let around = around.or_default();
        let known = around.clone();
        *around = Around {
            after,
            keep,
            head: known.head.clone(),
        };
        known
    }
}

/// Whether a block continues the loop that it is the body of.
pub(super) fn continues(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Block(block) => continues(block),
        Statement::If { accept, reject, .. } => continues(accept) || continues(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| continues(&case.body)),
        _ => false,
    })
}

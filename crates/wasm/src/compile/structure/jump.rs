//! Jumps: which blocks are jumped over, and which loops are left.
//!
//! Between the place of the jump and that of its target stand lists, loops and switches. Control falls out of lists and
//! switches: the rest of each such list is skipped. A loop is left by a `break`: at once if it is the innermost, else
//! after the loop or switch inside it, where a flag says so; then nothing needs to be skipped.

use super::tree::{Builder, Flow, Scope};
use super::{Flag, Item, List, unsupported};
use crate::compile::CompileError;
use crate::compile::ir::{Block, Edge, Terminator, Value};

/// What a jump does besides copies.
#[derive(Default)]
struct Plan {
    skips: Vec<(List, u32)>,
    /// Loops that are left after an inner statement: their scope, and that of the statement.
    leaves: Vec<(usize, usize)>,
    /// The innermost loop is left at once: its scope.
    breaks: Option<usize>,
}

impl Builder<'_> {
    /// A jump to a block that stands elsewhere.
    pub(super) fn jump(&mut self, edge: &Edge) -> Result<(), CompileError> {
        let target = edge.block;
        let is_back = self.is_way_back(target);
        let Some(plan) = self.plan(target, is_back) else {
            return Err(unsupported(
                self.function,
                "irreducible control flow".to_owned(),
            ));
        };
        if !is_back && self.is_written_here(target, &plan) {
            let pairs = self.pairs(edge);
            if !pairs.is_empty() {
                self.push(Item::Bind(pairs));
            }
            self.push(Item::Stub(target));
            self.flow = Flow::Ends;
            return Ok(());
        }
        let pairs = if is_back {
            self.pairs_back(edge)
        } else {
            self.pairs(edge)
        };
        if !pairs.is_empty() {
            self.push(Item::Copies(pairs));
        }
        self.is_entered[target.0 as usize] = true;
        self.flow = self.apply(plan);
        Ok(())
    }

    /// The parameters of a way back that not all ways back set to the same.
    fn pairs_back(&self, edge: &Edge) -> Vec<(Value, Value)> {
        let shared = &self.shared[edge.block.0 as usize];
        let is_own = |pair: &(Value, Value)| shared.binary_search(pair).is_err();
        self.pairs(edge).into_iter().filter(is_own).collect()
    }

    /// Whether the target is copied to the jump: traps are, because they are rare, and returns that are not on the way,
    /// or that save nesting.
    fn is_written_here(&self, target: Block, plan: &Plan) -> bool {
        const SHALLOW: usize = 8;
        let is_trap = !matches!(
            self.function.block(target).terminator,
            Terminator::Return(_)
        );
        let is_shallow = plan.breaks.is_some() || self.depth() <= SHALLOW;
        let is_on_the_way = plan.skips.is_empty() && plan.leaves.is_empty() && is_shallow;
        self.placement.is_stub[target.0 as usize] && (is_trap || !is_on_the_way)
    }

    fn plan(&self, target: Block, is_back: bool) -> Option<Plan> {
        let end = self
            .scopes
            .iter()
            .rposition(|scope| self.is_at(scope, target, is_back))?;
        let mut plan = Plan::default();
        let mut top = self.scopes.len();
        let mut inner = None;
        while top > end + 1 {
            let is_breakable = |scope: &Scope| !matches!(scope, Scope::List { .. });
            let next = self.scopes[end + 1..top].iter().rposition(is_breakable);
            let next = next.map(|at| at + end + 1);
            match next {
                Some(at) if matches!(self.scopes[at], Scope::Loop { .. }) => match inner {
                    None => plan.breaks = Some(at),
                    Some(inner) => plan.leaves.push((at, inner)),
                },
                _ => self.skip_rest(next.map_or(end + 1, |at| at + 1)..top, &mut plan),
            }
            inner = next;
            top = next.unwrap_or(end + 1);
        }
        if let Scope::List { list, next, .. } = self.scopes[end] {
            let index = self.placement.place[target.0 as usize].index();
            if index > next {
                plan.skips.push((list, index));
            }
        }
        Some(plan)
    }

    fn is_at(&self, scope: &Scope, target: Block, is_back: bool) -> bool {
        match *scope {
            Scope::List {
                owner,
                is_after,
                next,
                ..
            } => {
                let place = &self.placement;
                let lists = if is_after {
                    &place.after
                } else {
                    &place.merges
                };
                let index = place.place[target.0 as usize].index();
                !is_back
                    && index >= next
                    && lists[owner.0 as usize].get(index as usize) == Some(&target)
            }
            Scope::Loop { header, .. } => is_back && header == target,
            Scope::Switch { .. } => false,
        }
    }

    fn skip_rest(&self, scopes: std::ops::Range<usize>, plan: &mut Plan) {
        for scope in &self.scopes[scopes] {
            if let Scope::List {
                list, next, length, ..
            } = *scope
                && next < length
            {
                plan.skips.push((list, length));
            }
        }
    }

    fn apply(&mut self, plan: Plan) -> Flow {
        for (list, to) in plan.skips {
            let skipped = &mut self.skipped[list.0 as usize];
            *skipped = (*skipped).max(to);
            self.push(Item::Skip { list, to });
        }
        for (outer, inner) in plan.leaves {
            let flag = self.flag_of(outer);
            self.push(Item::Leave(flag));
            if let Scope::Loop { check, .. } | Scope::Switch { check } = &mut self.scopes[inner] {
                *check = Some(flag);
            }
        }
        let Some(at) = plan.breaks else {
            return Flow::Falls;
        };
        if let Scope::Loop { is_left, .. } = &mut self.scopes[at] {
            *is_left = true;
        }
        self.push(Item::Break);
        Flow::Ends
    }

    /// The flag that says that a loop is left.
    fn flag_of(&mut self, scope: usize) -> Flag {
        let next = Flag(self.flags);
        let Scope::Loop { leave, is_left, .. } = &mut self.scopes[scope] else {
            return next;
        };
        *is_left = true;
        let flag = *leave.get_or_insert(next);
        if flag == next {
            self.flags += 1;
        }
        flag
    }
}

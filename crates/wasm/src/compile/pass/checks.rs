//! Removes checks that cannot fail, and decides branches whose condition is known.
//!
//! Algorithm: a walk over the dominator tree with a scope for each subtree. Known at a block are
//! the conditions of branches that lead only to it and the checks above it; comparisons of
//! integers are known together with their negations. Ranges of unsigned words follow from masks,
//! shifts, narrow loads and comparisons with constants.

mod facts;
mod ranges;

use crate::compile::ir::{Block, Cfg, Dominators, Function, Op, Terminator, Type, Value};
use facts::Facts;

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let mut facts = Facts::default();
    let mut has_changed = false;
    let mut stack = vec![Step::Enter(Function::ENTRY)];
    while let Some(step) = stack.pop() {
        match step {
            Step::Enter(block) => {
                stack.push(Step::Leave(facts.len()));
                if let Some(fact) = super::conditions::of_edge(function, &cfg, block) {
                    facts.learn(function, fact);
                }
                has_changed |= visit(function, block, &mut facts);
                let children = dominators.children(block).iter().rev();
                stack.extend(children.map(|&child| Step::Enter(child)));
            }
            Step::Leave(count) => facts.forget(count),
        }
    }
    has_changed
}

/// The range of a word by its definition only, as unsigned numbers.
pub(super) fn constant_range(function: &Function, value: Value) -> (u32, u32) {
    Facts::default().range(function, value)
}

enum Step {
    Enter(Block),
    /// The end of a subtree: only this number of facts stays known.
    Leave(usize),
}

fn visit(function: &mut Function, block: Block, facts: &mut Facts) -> bool {
    let mut has_changed = false;
    let insts = std::mem::take(&mut function.block_mut(block).insts);
    let mut kept = Vec::with_capacity(insts.len());
    for inst in insts {
        let Op::TrapIf {
            condition,
            trap,
            words,
        } = function.op(inst)
        else {
            kept.push(inst);
            continue;
        };
        let (condition, trap) = (*condition, *trap);
        match facts.decide(function, condition) {
            Some(false) => has_changed = true,
            Some(true) => {
                let words = words.clone();
                let data = function.block_mut(block);
                data.insts = kept;
                data.terminator = Terminator::Trap { trap, words };
                return true;
            }
            None => {
                kept.push(inst);
                facts.learn(function, (condition, false));
            }
        }
    }
    function.block_mut(block).insts = kept;
    let Some(known) = known_condition(function, block, facts) else {
        return has_changed;
    };
    if let Terminator::Branch { condition, .. } = &mut function.block_mut(block).terminator {
        *condition = known;
    }
    true
}

/// The constant that the condition of a block's branch is.
fn known_condition(function: &mut Function, block: Block, facts: &Facts) -> Option<Value> {
    let Terminator::Branch { condition, .. } = function.block(block).terminator else {
        return None;
    };
    if function.as_const(condition).is_some() {
        return None;
    }
    let holds = facts.decide(function, condition)?;
    Some(function.constant(Type::Bool, u64::from(holds)))
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn known_conditions() {
        check(
            super::run,
            "kernel f(i32, i32)
            b0:
              v0: bool = LtUnsigned arg0, arg1
              branch v0, b1, b2
            b1:
              v1: bool = LeUnsigned arg1, arg0
              TrapIf v1, Panic
              v2: i32 = And arg0, 7
              v3: bool = LtUnsigned 7, v2
              TrapIf v3, Panic
              v4: bool = Eq arg0, 3
              TrapIf v4, DivideByZero
              TrapIf v4, DivideByZero
              branch v4, b2, b3
            b3:
              v5: bool = LtUnsigned LocalId(0), WorkgroupSize(0)
              branch v5, b2, b4
            b4:
              trap Unreachable
            b2:
              return",
            "kernel f(i32, i32)
            b0:
              v0: bool = LtUnsigned arg0, arg1
              branch v0, b1, b2
            b1:
              v1: bool = LeUnsigned arg1, arg0
              v2: i32 = And arg0, 7
              v3: bool = LtUnsigned 7, v2
              v4: bool = Eq arg0, 3
              TrapIf v4, DivideByZero
              branch false, b2, b3
            b3:
              v5: bool = LtUnsigned LocalId(0), WorkgroupSize(0)
              branch true, b2, b4
            b4:
              trap Unreachable
            b2:
              return",
        );
    }

    #[test]
    fn a_check_that_always_fails_is_a_trap() {
        check(
            super::run,
            "kernel f(i32)
            b0:
              v0: i32 = Or arg0, 8
              v1: bool = LtUnsigned v0, 8
              TrapIf true, Panic arg0
              Store i32 v0, v0
              return",
            "kernel f(i32)
            b0:
              v0: i32 = Or arg0, 8
              v1: bool = LtUnsigned v0, 8
              trap Panic arg0",
        );
    }

    #[test]
    fn checks_of_other_branches_stay() {
        unchanged(
            super::run,
            "kernel f(i32, i32)
            b0:
              v0: bool = LtUnsigned arg0, arg1
              v1: bool = Eq arg0, 0
              branch v1, b1, b2
            b1:
              TrapIf v0, Panic
              jump b2
            b2:
              TrapIf v0, Panic
              return",
        );
    }
}

//! Global value numbering: an instruction whose operation and operands are those of one that
//! dominates it becomes that one.
//!
//! Hash-based, with a scope for each subtree of the dominator tree (Briggs, Cooper and Simpson,
//! "Value Numbering", 1997). Covers pure operations, and loads of objects that nothing writes.

use std::collections::HashMap;

use super::Substitution;
use crate::compile::ir::{Binary, Block, Cfg, Dominators, Element, Function, Op, Type, Value};

/// Returns whether something was removed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let mut numbering = Numbering {
        substitution: Substitution::new(function),
        table: HashMap::new(),
    };
    let mut stack = vec![Step::Enter(Function::ENTRY)];
    while let Some(step) = stack.pop() {
        match step {
            Step::Enter(block) => {
                let added = numbering.block(function, block);
                stack.push(Step::Leave(added));
                let children = dominators.children(block).iter().rev();
                stack.extend(children.map(|&child| Step::Enter(child)));
            }
            Step::Leave(added) => {
                for key in added {
                    numbering.table.remove(&key);
                }
            }
        }
    }
    let has_changed = !numbering.substitution.is_empty();
    // Arguments of back edges are used before their definition is visited.
    numbering.substitution.apply(function);
    has_changed
}

type Key = (Op, Type);

enum Step {
    Enter(Block),
    /// The end of a subtree: these entries leave the table.
    Leave(Vec<Key>),
}

struct Numbering {
    substitution: Substitution,
    table: HashMap<Key, Value>,
}

impl Numbering {
    /// Numbers the instructions of a block. Returns what it has put into the table.
    fn block(&mut self, function: &mut Function, block: Block) -> Vec<Key> {
        let mut added = Vec::new();
        let mut insts = std::mem::take(&mut function.block_mut(block).insts);
        insts.retain(|&inst| {
            self.substitution.apply_to(function, inst);
            let Some(key) = key(function, inst) else {
                return true;
            };
            if let Some(&first) = self.table.get(&key) {
                self.substitution.replace(inst, first);
                return false;
            }
            self.table.insert(key.clone(), inst);
            added.push(key);
            true
        });
        function.block_mut(block).insts = insts;
        added
    }
}

/// What equal instructions have in common; `None` if equal ones may have different results.
fn key(function: &Function, inst: Value) -> Option<Key> {
    let op = function.op(inst);
    let is_constant = match op {
        Op::ObjectLoad { object, .. } => {
            let object = function.object(*object);
            !object.written && object.element != Element::AtomicU32
        }
        op => op.is_pure(),
    };
    let op = match *op {
        Op::Binary(binary, left, right) => ordered(binary, left, right),
        _ => op.clone(),
    };
    is_constant.then(|| (op, function.ty(inst)))
}

fn ordered(binary: Binary, left: Value, right: Value) -> Op {
    if binary.is_commutative() && right < left {
        Op::Binary(binary, right, left)
    } else {
        Op::Binary(binary, left, right)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn dominated_instructions_are_shared() {
        check(
            super::run,
            "kernel f(i32, i32) -> i32
            o0 = U32 Data[1] words=1 \"table\"
            b0:
              v0: i32 = Add arg0, arg1
              v1: bool = Eq v0, 3
              branch v1, b1, b2
            b1:
              v2: i32 = Add arg1, arg0
              v3: i32 = Mul v2, v0
              v4: i32 = ObjectLoad o0[v3]
              v5: i32 = ObjectLoad o0[v3]
              v6: i32 = Add v4, v5
              return v6
            b2:
              v7: i32 = Mul v0, v0
              return v7",
            "kernel f(i32, i32) -> i32
            o0 = U32 Data[1] words=1 \"table\"
            b0:
              v0: i32 = Add arg0, arg1
              v1: bool = Eq v0, 3
              branch v1, b1, b2
            b2:
              v7: i32 = Mul v0, v0
              return v7
            b1:
              v3: i32 = Mul v0, v0
              v4: i32 = ObjectLoad o0[v3]
              v6: i32 = Add v4, v4
              return v6",
        );
    }

    #[test]
    fn siblings_and_written_objects_are_not_shared() {
        unchanged(
            super::run,
            "kernel f(i32) -> i32
            o0 = U32 State written \"state\"
            b0:
              v0: i32 = ObjectLoad o0[arg0]
              v1: i32 = ObjectLoad o0[arg0]
              v2: bool = Eq v0, v1
              branch v2, b1, b2
            b2:
              v3: i32 = Sub arg0, v0
              return v3
            b1:
              v4: i32 = Sub arg0, v0
              return v4",
        );
    }
}

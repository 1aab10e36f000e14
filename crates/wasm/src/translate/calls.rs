//! The calls and exits of a lowered function, for the call graph.

use std::collections::HashSet;

use super::ir::{CallKind, Function, FunctionId, Inst, Label};
use crate::bytecode::{Host, Op};
use crate::module::{CallSite, Exits, FunctionBody};

impl FunctionBody for Function {
    fn type_index(&self) -> u32 {
        self.type_index
    }

    fn name(&self) -> u32 {
        self.name
    }

    fn calls(&self) -> impl Iterator<Item = CallSite> {
        self.code.iter().filter_map(|inst| match *inst {
            Inst::Call { function, kind, .. } => Some(match kind {
                CallKind::Direct => CallSite::Direct(function),
                CallKind::Devirtualized => CallSite::Devirtualized(function),
            }),
            Inst::CallIndirect {
                table, type_index, ..
            } => Some(CallSite::Indirect { table, type_index }),
            _ => None,
        })
    }

    /// Scans the code once. Structured loops are entered at their header only, so one pass in code
    /// order finds all reachable instructions.
    fn exits(&self, returns: impl Fn(FunctionId) -> bool) -> Exits {
        let mut exits = Exits::default();
        let mut targets: HashSet<Label> = HashSet::new();
        let mut reachable = true;
        for inst in &self.code {
            if let Inst::End(label) = inst {
                reachable |= targets.contains(label);
            }
            if !reachable {
                continue;
            }
            match inst {
                Inst::Br(label) => {
                    targets.insert(*label);
                    reachable = false;
                }
                Inst::BrIf { label, .. } => {
                    targets.insert(*label);
                }
                Inst::BrTable { labels, .. } => {
                    targets.extend(labels);
                    reachable = false;
                }
                Inst::Return => {
                    exits.returns = true;
                    reachable = false;
                }
                Inst::Call { function, .. } if !returns(*function) => {
                    exits.last_calls.insert(*function);
                    reachable = false;
                }
                Inst::Plain(plain) => {
                    let panics = plain.op == Op::Host && plain.extra == Host::Panic as u64;
                    if panics || plain.op == Op::Unreachable {
                        exits.traps = true;
                        reachable = false;
                    }
                }
                Inst::Block(_)
                | Inst::Loop(_)
                | Inst::End(_)
                | Inst::Call { .. }
                | Inst::CallIndirect { .. } => {}
            }
        }
        exits.returns |= reachable;
        exits
    }
}

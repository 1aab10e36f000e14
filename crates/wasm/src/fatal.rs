//! Functions that only ever end their thread: panic handlers, and what leads to them.
//!
//! In: lowered functions, callees before callers where that is possible. Out: the functions that never
//! return and whose every way out is a trap, the host's `panic`, or a call of another such function.
//! Who calls one is done with computing, so recursion by way of it does no harm: a panic handler that
//! formats its message may, as the compiler sees it, panic itself.
//!
//! What always holds: a function counts only if that is certain. One that goes on for ever, or leaves
//! by calling itself, does not; but for Rust's own way to its panic handler, which is known by name,
//! since the standard library's handler may leave by a panic as well.

use std::collections::{HashMap, HashSet};

use crate::bytecode::{Host, Op};
use crate::ir::{Function, FunctionId, Inst, Label};

/// How often a function is looked at again because more of what it calls may return. Beyond that it
/// is taken to return, which is the careful answer.
const LOOKS: u32 = 32;

/// Whether a name is that of a function by which Rust comes to the panic handler.
fn is_rusts(name: &str) -> bool {
    name.starts_with("core::panicking::panic") || name.ends_with("rust_begin_unwind")
}

/// Finds the functions.
pub(crate) fn find(
    lowered: &HashMap<FunctionId, Function>,
    order: &[FunctionId],
    names: &[String],
) -> HashSet<FunctionId> {
    let returning = returning(lowered, order);
    let mut waits: HashMap<FunctionId, usize> = HashMap::new();
    let mut callers: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    let mut found = Vec::new();
    for id in order.iter().filter(|id| !returning.contains(id)) {
        let ways = Ways::of(&lowered[id], |callee| {
            returning.contains(&callee) || !lowered.contains_key(&callee)
        });
        let is_known = is_rusts(&names[lowered[id].name as usize]);
        match (ways.last_calls.len(), ways.traps) {
            (0, true) => found.push(*id),
            _ if is_known => found.push(*id),
            (calls, _) => {
                waits.insert(*id, calls);
                for callee in ways.last_calls {
                    callers.entry(callee).or_default().push(*id);
                }
            }
        }
    }
    let mut at = 0;
    while let Some(id) = found.get(at).copied() {
        at += 1;
        for caller in callers.remove(&id).unwrap_or_default() {
            if let Some(calls) = waits.get_mut(&caller) {
                *calls -= 1;
                if *calls == 0 {
                    found.push(caller);
                }
            }
        }
    }
    found.into_iter().collect()
}

/// The functions that may return.
fn returning(lowered: &HashMap<FunctionId, Function>, order: &[FunctionId]) -> HashSet<FunctionId> {
    let mut returning: HashSet<FunctionId> = HashSet::new();
    let mut blocked: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    let mut looks: HashMap<FunctionId, u32> = HashMap::new();
    for &first in order {
        let mut work = vec![first];
        while let Some(id) = work.pop() {
            if returning.contains(&id) {
                continue;
            }
            let looks = looks.entry(id).or_default();
            *looks += 1;
            let ways = Ways::of(&lowered[&id], |callee| {
                returning.contains(&callee) || !lowered.contains_key(&callee)
            });
            if ways.returns || *looks > LOOKS {
                returning.insert(id);
                work.extend(blocked.remove(&id).unwrap_or_default());
            } else {
                for callee in ways.last_calls {
                    blocked.entry(callee).or_default().push(id);
                }
            }
        }
    }
    returning
}

/// How a function is left.
#[derive(Default)]
struct Ways {
    /// It may return.
    returns: bool,
    /// It may trap of its own accord or panic.
    traps: bool,
    /// Functions from which it does not come back, each once.
    last_calls: HashSet<FunctionId>,
}

impl Ways {
    /// Follows the code from its beginning. Loops are entered at their head only, so one look at each
    /// instruction is enough.
    fn of(function: &Function, returns: impl Fn(FunctionId) -> bool) -> Self {
        let mut ways = Self::default();
        let mut targets: HashSet<Label> = HashSet::new();
        let mut reachable = true;
        for inst in &function.code {
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
                    ways.returns = true;
                    reachable = false;
                }
                Inst::Call { function, .. } if !returns(*function) => {
                    ways.last_calls.insert(*function);
                    reachable = false;
                }
                Inst::Plain(plain) => {
                    let panics = plain.op == Op::Host && plain.extra == Host::Panic as u64;
                    if panics || plain.op == Op::Unreachable {
                        ways.traps = true;
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
        ways.returns |= reachable;
        ways
    }
}

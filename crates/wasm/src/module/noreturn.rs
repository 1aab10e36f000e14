//! No-return analysis: finds the functions that always end their thread, such as panic handlers.
//!
//! In: lowered functions, callees before callers where possible. Out: the functions that never
//! return, and all of whose exits are a trap, the host's `panic`, or a call of another such
//! function. Recursion through a call of one is harmless, since the thread ends there: a panic
//! handler that formats its message may panic itself, as far as the call graph shows.
//!
//! What always holds: the result is conservative. A function that may loop forever, or ends only by
//! calling itself, does not count. The exception is Rust's own path to its panic handler, which is
//! recognized by name, since the standard library's handler may itself panic.

use std::collections::{HashMap, HashSet};

use super::{FunctionBody, FunctionId};

/// How often a function is visited in the fixpoint iteration. Beyond that it is assumed to return,
/// which is the conservative answer.
const MAX_VISITS: u32 = 32;

/// Whether a function is an entry of Rust's panic runtime, by its name.
pub(crate) fn is_rust_panic_entry(name: &str) -> bool {
    name.starts_with("core::panicking::panic") || name.ends_with("rust_begin_unwind")
}

/// Finds the functions that never return and end their thread.
///
/// A worklist propagates from functions whose only exits are traps to their callers.
pub(crate) fn find<F: FunctionBody>(
    lowered: &HashMap<FunctionId, F>,
    order: &[FunctionId],
    names: &[String],
) -> HashSet<FunctionId> {
    let returning = returning(lowered, order);
    let mut waits: HashMap<FunctionId, usize> = HashMap::new();
    let mut callers: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    let mut found = Vec::new();
    for id in order.iter().filter(|id| !returning.contains(id)) {
        let exits = lowered[id]
            .exits(|callee| returning.contains(&callee) || !lowered.contains_key(&callee));
        let is_known = is_rust_panic_entry(&names[lowered[id].name() as usize]);
        match (exits.last_calls.len(), exits.traps) {
            (0, true) => found.push(*id),
            _ if is_known => found.push(*id),
            (calls, _) => {
                waits.insert(*id, calls);
                for callee in exits.last_calls {
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
///
/// An optimistic fixpoint: a function is blocked at calls whose callees are not known to return,
/// and visited again when one of them is.
fn returning<F: FunctionBody>(
    lowered: &HashMap<FunctionId, F>,
    order: &[FunctionId],
) -> HashSet<FunctionId> {
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
            let exits = lowered[&id]
                .exits(|callee| returning.contains(&callee) || !lowered.contains_key(&callee));
            if exits.returns || *looks > MAX_VISITS {
                returning.insert(id);
                work.extend(blocked.remove(&id).unwrap_or_default());
            } else {
                for callee in exits.last_calls {
                    blocked.entry(callee).or_default().push(id);
                }
            }
        }
    }
    returning
}

/// The exits of a function.
#[derive(Default)]
pub(crate) struct Exits {
    /// It may return.
    pub returns: bool,
    /// It may trap itself or call the host's `panic`.
    pub traps: bool,
    /// Called functions that do not return.
    pub last_calls: HashSet<FunctionId>,
}

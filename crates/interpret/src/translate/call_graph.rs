//! The call graph: the functions that an entry point can reach.

use naga::{Block, Function, Handle, Module, Statement};

/// Every function that `root` calls, directly or indirectly, in naga's order: callees before callers.
pub(super) fn reachable(module: &Module, root: &Function) -> Vec<Handle<Function>> {
    let mut found = vec![false; module.functions.len()];
    let mut open = Vec::new();
    calls(&root.body, &mut open);
    while let Some(handle) = open.pop() {
        if !std::mem::replace(&mut found[handle.index()], true) {
            calls(&module.functions[handle].body, &mut open);
        }
    }
    module
        .functions
        .iter()
        .map(|(handle, _)| handle)
        .filter(|handle| found[handle.index()])
        .collect()
}

pub(super) fn calls(block: &Block, out: &mut Vec<Handle<Function>>) {
    for statement in block {
        match statement {
            Statement::Call { function, .. } => out.push(*function),
            Statement::Block(inner) => calls(inner, out),
            Statement::If { accept, reject, .. } => {
                calls(accept, out);
                calls(reject, out);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    calls(&case.body, out);
                }
            }
            Statement::Loop {
                body, continuing, ..
            } => {
                calls(body, out);
                calls(continuing, out);
            }
            _ => {}
        }
    }
}

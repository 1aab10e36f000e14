//! Finds the variables that an entry point uses, and whether it checks the guard.
//!
//! In: WGSL with the declarations of the batch, and the name of an entry point. Out: its reachable
//! functions by depth-first search over the call graph. What it does not do: follow conditions. A
//! call of `batch_is_active()` anywhere in a reachable function counts, whatever is done with the
//! result.

use std::collections::HashSet;

use naga::{Block, Function, Handle, Module, ShaderStage, Statement};
#[cfg(feature = "bytemuck")]
use naga::{Expression, GlobalVariable};

use crate::error::PassProblem;

/// The functions that tell a shader whether its batch may run.
const GUARD_FUNCTIONS: [&str; 2] = ["batch_is_active", "batch_slot_is_active"];

/// A parsed shader with one of its entry points.
pub(crate) struct ShaderAnalysis {
    module: Module,
    /// Index of the entry point.
    #[cfg(feature = "bytemuck")]
    entry_point: usize,
    /// The functions that it calls, directly or not.
    reachable: HashSet<Handle<Function>>,
}

impl ShaderAnalysis {
    pub(crate) fn new(text: &str, entry_point: &str) -> Result<Self, PassProblem> {
        let module = naga::front::wgsl::parse_str(text).map_err(|error| {
            let location = error.location(text);
            let (line, column) = location.map_or((0, 0), |at| (at.line_number, at.line_position));
            PassProblem::Wgsl {
                line,
                column,
                source: Box::new(error),
            }
        })?;
        let is_compute = |stage| stage == ShaderStage::Compute;
        let mut entry_points = module.entry_points.iter();
        let found =
            entry_points.position(|entry| entry.name == entry_point && is_compute(entry.stage));
        let Some(entry_point) = found else {
            let compute = module
                .entry_points
                .iter()
                .filter(|entry| is_compute(entry.stage));
            return Err(PassProblem::NoEntryPoint {
                available: compute.map(|entry| entry.name.clone()).collect(),
            });
        };
        let reachable = reachable(&module, &module.entry_points[entry_point].function);
        Ok(Self {
            module,
            #[cfg(feature = "bytemuck")]
            entry_point,
            reachable,
        })
    }

    /// Whether the entry point checks the guard.
    pub(crate) fn is_guarded(&self) -> bool {
        let mut reachable = self.reachable.iter();
        reachable.any(|&handle| {
            let name = self.module.functions[handle].name.as_deref();
            name.is_some_and(|name| GUARD_FUNCTIONS.contains(&name))
        })
    }
}

#[cfg(feature = "bytemuck")]
impl ShaderAnalysis {
    /// The module-scope variables that the entry point uses, in the order of their declaration.
    pub(crate) fn variables(&self) -> Vec<&GlobalVariable> {
        let entry = &self.module.entry_points[self.entry_point].function;
        let functions = self
            .reachable
            .iter()
            .map(|&handle| &self.module.functions[handle]);
        let expressions = functions
            .chain([entry])
            .flat_map(|function| function.expressions.iter());
        let used: HashSet<_> = expressions
            .filter_map(|(_, expression)| match expression {
                Expression::GlobalVariable(variable) => Some(*variable),
                _ => None,
            })
            .collect();
        let variables = self.module.global_variables.iter();
        let used = variables.filter(|(handle, _)| used.contains(handle));
        used.map(|(_, variable)| variable).collect()
    }

    /// Size in bytes of a variable's type; of an array without a size, that of one element.
    pub(crate) fn size(&self, variable: &GlobalVariable) -> u64 {
        let ty = &self.module.types[variable.ty];
        ty.inner.size(self.module.to_ctx()).into()
    }
}

fn reachable(module: &Module, root: &Function) -> HashSet<Handle<Function>> {
    let mut found = HashSet::new();
    let mut functions = vec![root];
    while let Some(function) = functions.pop() {
        for callee in callees(&function.body) {
            if found.insert(callee) {
                functions.push(&module.functions[callee]);
            }
        }
    }
    found
}

/// The functions that a block calls.
fn callees(block: &Block) -> Vec<Handle<Function>> {
    let mut callees = Vec::new();
    let mut blocks = vec![block];
    while let Some(block) = blocks.pop() {
        for statement in block {
            match statement {
                Statement::Call { function, .. } => callees.push(*function),
                Statement::Block(block) => blocks.push(block),
                Statement::If { accept, reject, .. } => blocks.extend([accept, reject]),
                Statement::Switch { cases, .. } => {
                    blocks.extend(cases.iter().map(|case| &case.body));
                }
                Statement::Loop {
                    body, continuing, ..
                } => blocks.extend([body, continuing]),
                _ => {}
            }
        }
    }
    callees
}

#[cfg(test)]
mod tests {
    use crate::layout::LockLayout;
    use crate::shader::BatchBindings;

    use super::ShaderAnalysis;

    fn is_guarded(text: &str) -> bool {
        let declarations = BatchBindings::default().wgsl(LockLayout::new(2));
        let text = format!("{text}\n{declarations}");
        let analysis = ShaderAnalysis::new(&text, "main");
        analysis
            .map_err(|error| error.to_string())
            .unwrap()
            .is_guarded()
    }

    #[test]
    fn a_call_that_the_entry_point_reaches_is_a_guard() {
        let main = "@compute @workgroup_size(1) fn main() ";
        let in_function = "fn inner() -> bool { return batch_is_active(); }
            fn outer() { switch 1 { case 1 { loop { if inner() { break; } } } default {} } }";
        assert!(is_guarded(&format!(
            "{main} {{ if !batch_is_active() {{ return; }} }}"
        )));
        assert!(is_guarded(&format!(
            "{main} {{ if batch_slot_is_active(batch.slot) {{ return; }} }}"
        )));
        assert!(is_guarded(&format!("{in_function} {main} {{ outer(); }}")));
        assert!(!is_guarded(&format!("{in_function} {main} {{}}")));
        assert!(!is_guarded(&format!("{main} {{ }} // batch_is_active()")));
        let other = "@compute @workgroup_size(1) fn other() { _ = batch_is_active(); }";
        assert!(!is_guarded(&format!("{main} {{}} {other}")));
    }
}

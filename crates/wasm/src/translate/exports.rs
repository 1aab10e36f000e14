//! Exports, and their launch stubs: a stub runs the `init` function of every module, then the
//! exported function.

use std::collections::HashMap;

use wasmparser::ExternalKind;

use super::ir::{self, Argument, CallKind, Inst, Operand, Origin};
use super::module::ModuleCompiler;
use crate::bytecode::Export;
use crate::module::{FunctionId, to_u32};

impl ModuleCompiler<'_> {
    pub(super) fn exports(&mut self) {
        let module = to_u32(self.translator.definitions.exports.len() - 1);
        let mut launches: HashMap<FunctionId, u32> = HashMap::new();
        let inits = self.translator.inits.clone();
        for export in &self.linked.module.exports {
            if !matches!(export.kind, ExternalKind::Func | ExternalKind::FuncExact) {
                continue;
            }
            let (id, _) = self.linked.functions[export.index as usize];
            let Some(function) = self.translator.function_indices[id as usize] else {
                continue;
            };
            let launch = match launches.get(&id) {
                Some(&launch) => launch,
                None => {
                    let stub = self.launch_stub(id, &inits, self.name_index(export.index));
                    let launch = self.emit_root(&stub);
                    launches.insert(id, launch);
                    launch
                }
            };
            self.translator.bytecode.exports.push(Export {
                module,
                name: export.name.to_owned(),
                function,
                launch,
            });
        }
    }

    /// The launch stub of a function.
    fn launch_stub(&self, id: FunctionId, inits: &[FunctionId], name: u32) -> ir::Function {
        let type_index = self.translator.definitions.functions[id as usize];
        let ty = &self.translator.bytecode.types[type_index as usize];
        let (params, results) = (ir::slots(&ty.params), ir::slots(&ty.results));
        let mut slot = 0;
        let arguments = ty.params.iter().map(|ty| {
            let argument = Argument {
                operand: Operand::Slot(slot),
                width: ty.slots(),
            };
            slot += ty.slots();
            argument
        });
        let arguments = arguments.collect();
        let origin = Origin { name, offset: 0 };
        let locals = params.max(results);
        let mut function = ir::Function {
            type_index,
            name,
            params,
            results,
            locals,
            frame: locals + results,
            ..ir::Function::default()
        };
        let call = |function, arguments, results| Inst::Call {
            function,
            arguments,
            base: locals,
            results,
            kind: CallKind::Direct,
        };
        for &init in inits {
            function.push(call(init, Box::new([]), 0), origin);
        }
        function.push(call(id, arguments, results), origin);
        for word in 0..results {
            function.push(
                Inst::Plain(ir::copy(word, Operand::Slot(locals + word), 1)),
                origin,
            );
        }
        function.push(Inst::Return, origin);
        function
    }
}

//! Exports, and their launch stubs: a stub runs the `init` function of every module, then the
//! exported function.

use std::collections::HashMap;

use wasmparser::ExternalKind;

use super::{Extern, ModuleLinker, to_u32};
use crate::bytecode::{Export, Function};
use crate::ir::{self, Argument, CallKind, Inst, Operand, Origin};

impl ModuleLinker<'_, '_> {
    pub(super) fn exports(&mut self) {
        let module = to_u32(self.linker.modules.len());
        let mut names = HashMap::new();
        let mut launches: HashMap<u32, u32> = HashMap::new();
        let inits = self.linker.inits.clone();
        for export in &self.module.exports {
            let index = export.index as usize;
            let found = match export.kind {
                ExternalKind::Func | ExternalKind::FuncExact => {
                    Extern::Function(self.space.functions[index].0)
                }
                ExternalKind::Table => Extern::Table(self.space.tables[index]),
                ExternalKind::Memory => Extern::Memory(self.space.memories[index]),
                ExternalKind::Global => Extern::Global(self.globals[index]),
                ExternalKind::Tag => continue,
            };
            names.insert(export.name.to_owned(), found);
            let Extern::Function(id) = found else {
                continue;
            };
            let Some(function) = self.linker.functions[id as usize].number else {
                continue;
            };
            let launch = match launches.get(&id) {
                Some(&launch) => launch,
                None => {
                    let launch = self.launch(id, &inits, self.function_names[index]);
                    launches.insert(id, launch);
                    launch
                }
            };
            self.linker.bytecode.exports.push(Export {
                module,
                name: export.name.to_owned(),
                function,
                launch,
            });
        }
        self.linker.modules.push(names);
    }

    /// Emits a launch stub.
    fn launch(&mut self, id: ir::FunctionId, inits: &[ir::FunctionId], name: u32) -> u32 {
        let type_index = self.linker.functions[id as usize].type_index;
        let ty = &self.linker.bytecode.types[type_index as usize];
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
        let launch = to_u32(self.linker.bytecode.functions.len());
        self.linker.bytecode.functions.push(Function {
            entry: 0,
            end: 0,
            frame: 0,
            type_index,
        });
        let written = self.write(&function);
        self.linker.bytecode.functions[launch as usize] = written;
        launch
    }
}

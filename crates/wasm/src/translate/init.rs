//! Emits a module's `init` function: it initializes globals, tables and memories from the segments
//! and calls the start function.

use wasmparser::{DataKind, ElementKind};

use super::emit::FunctionIndices;
use super::ir::{self, CallKind, Inst, Operand, Origin, Plain};
use super::lower::IndexSpaces;
use super::module::ModuleCompiler;
use crate::bytecode::{FunctionType, Op};
use crate::module::{Constant, active_element, constant, to_u32};

impl ModuleCompiler<'_> {
    /// Emits the `init` function.
    pub(super) fn init(&mut self, spaces: &IndexSpaces<'_>) {
        let function = self.init_code(spaces);
        let id = self.translator.add_function(function.type_index);
        let index = self.function_index(id);
        self.lowered.insert(id, function);
        self.emit_pending();
        self.translator.bytecode.inits.push(index);
        self.translator.inits.push(id);
    }

    fn init_code(&mut self, spaces: &IndexSpaces<'_>) -> ir::Function {
        let ty = FunctionType {
            params: Vec::new(),
            results: Vec::new(),
        };
        let type_index = self.translator.type_index(&ty);
        let names = &mut self.translator.bytecode.debug.names;
        let name = to_u32(names.len());
        names.push("instantiation".to_owned());
        let mut code = InitFunction {
            function: ir::Function {
                type_index,
                name,
                frame: 3,
                ..ir::Function::default()
            },
            origin: Origin { name, offset: 0 },
        };
        self.set_globals(&mut code, spaces);
        self.set_elements(&mut code);
        self.set_data(&mut code);
        if let Some(start) = self.linked.module.start {
            let (function, _) = self.linked.functions[start as usize];
            code.push(Inst::Call {
                function,
                arguments: Box::new([]),
                base: 0,
                results: 0,
                kind: CallKind::Direct,
            });
        }
        code.push(Inst::Return);
        code.function
    }

    fn set_globals(&self, code: &mut InitFunction, spaces: &IndexSpaces<'_>) {
        let own = &self.linked.module.globals;
        let imported = spaces.globals.len() - own.len();
        for ((_, constant), &(slot, ty)) in own.iter().zip(&spaces.globals[imported..]) {
            let value = self.bits(*constant);
            // Globals are zero initially.
            if value == 0 {
                continue;
            }
            let (op, width) = match ty.slots() {
                1 => (Op::GlobalSet, 1),
                _ => (Op::GlobalSet64, 2),
            };
            code.push(Inst::Plain(ir::copy(0, Operand::Const(value), width)));
            code.plain(op, 0, u64::from(slot));
        }
    }

    fn set_elements(&self, code: &mut InitFunction) {
        for (at, element) in self.linked.module.elements.iter().enumerate() {
            let segment = self.linked.elements + to_u32(at);
            code.at(element.range.start);
            if let Some((table, offset)) = active_element(&element.kind) {
                let table = self.linked.tables[table as usize];
                let length = self.translator.bytecode.elements[segment as usize].len();
                self.fill(code, Op::TableInit, (table, segment), offset, length);
            }
            if !matches!(element.kind, ElementKind::Passive) {
                code.plain(Op::ElemDrop, 0, u64::from(segment));
            }
        }
    }

    fn set_data(&self, code: &mut InitFunction) {
        for (at, data) in self.linked.module.data.iter().enumerate() {
            let segment = self.linked.data + to_u32(at);
            code.at(data.range.start);
            if let DataKind::Active {
                memory_index,
                offset_expr,
            } = &data.kind
                && let Ok(offset) = constant(offset_expr)
            {
                let memory = self.linked.memories[*memory_index as usize];
                self.fill(
                    code,
                    Op::MemoryInit,
                    (memory, segment),
                    offset,
                    data.data.len(),
                );
                code.plain(Op::DataDrop, 0, u64::from(segment));
            }
        }
    }

    /// The bits of a constant expression.
    fn bits(&self, constant: Constant) -> u64 {
        let value = self.linked.value(constant, &self.translator.definitions);
        self.translator.constant_bits(value)
    }

    fn fill(
        &self,
        code: &mut InitFunction,
        op: Op,
        (to, from): (u32, u32),
        offset: Constant,
        length: usize,
    ) {
        let values = [self.bits(offset), 0, u64::from(to_u32(length))];
        for (slot, value) in (0..).zip(values) {
            code.push(Inst::Plain(ir::copy(slot, Operand::Const(value), 1)));
        }
        code.push(Inst::Plain(Plain {
            op,
            a: 0,
            b: 1,
            c: 2,
            extra: u64::from(to | from << 16),
        }));
    }
}

/// A function that is being built.
struct InitFunction {
    function: ir::Function,
    origin: Origin,
}

impl InitFunction {
    fn at(&mut self, offset: u64) {
        self.origin.offset = u32::try_from(offset).unwrap_or(u32::MAX);
    }

    fn push(&mut self, inst: Inst) {
        self.function.push(inst, self.origin);
    }

    fn plain(&mut self, op: Op, a: u32, extra: u64) {
        self.push(Inst::Plain(Plain {
            op,
            a,
            b: 0,
            c: 0,
            extra,
        }));
    }
}

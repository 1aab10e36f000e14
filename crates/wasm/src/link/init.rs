//! Emits a module's `init` function: it initializes globals, tables and memories from the segments
//! and calls the start function.

use wasmparser::{DataKind, ElementKind};

use super::{ModuleLinker, active_element, to_u32};
use crate::bytecode::{FunctionType, Op};
use crate::decode::{self, Constant};
use crate::emit::FunctionIndices;
use crate::ir::{self, CallKind, Inst, Operand, Origin, Plain};

impl ModuleLinker<'_, '_> {
    /// Emits the `init` function.
    pub(super) fn init(&mut self) {
        let function = self.init_code();
        let id = self.linker.function(function.type_index);
        let number = self.function_index(id);
        self.lowered.insert(id, function);
        self.emit_pending();
        self.linker.bytecode.inits.push(number);
        self.linker.inits.push(id);
    }

    fn init_code(&mut self) -> ir::Function {
        let ty = FunctionType {
            params: Vec::new(),
            results: Vec::new(),
        };
        let type_index = self.linker.type_index(&ty);
        let names = &mut self.linker.bytecode.debug.names;
        let name = to_u32(names.len());
        names.push("instantiation".to_owned());
        let mut code = Code {
            function: ir::Function {
                type_index,
                name,
                frame: 3,
                ..ir::Function::default()
            },
            origin: Origin { name, offset: 0 },
        };
        self.set_globals(&mut code);
        self.set_elements(&mut code);
        self.set_data(&mut code);
        if let Some(start) = self.module.start {
            let (function, _) = self.space.functions[start as usize];
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

    fn set_globals(&self, code: &mut Code) {
        let imported = self.space.globals.len() - self.module.globals.len();
        for (at, (_, constant)) in self.module.globals.iter().enumerate() {
            let (slot, ty) = self.space.globals[imported + at];
            let value = self.value(*constant);
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

    fn set_elements(&self, code: &mut Code) {
        for (at, element) in self.module.elements.iter().enumerate() {
            let segment = self.space.elements + to_u32(at);
            code.at(element.range.start);
            if let Some((table, offset)) = active_element(&element.kind) {
                let table = self.space.tables[table as usize];
                let length = self.linker.bytecode.elements[segment as usize].len();
                self.fill(code, Op::TableInit, (table, segment), offset, length);
            }
            if !matches!(element.kind, ElementKind::Passive) {
                code.plain(Op::ElemDrop, 0, u64::from(segment));
            }
        }
    }

    fn set_data(&self, code: &mut Code) {
        for (at, data) in self.module.data.iter().enumerate() {
            let segment = self.space.data + to_u32(at);
            code.at(data.range.start);
            if let DataKind::Active {
                memory_index,
                offset_expr,
            } = &data.kind
                && let Ok(offset) = decode::constant(offset_expr)
            {
                let memory = self.space.memories[*memory_index as usize];
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

    fn fill(
        &self,
        code: &mut Code,
        op: Op,
        (to, from): (u32, u32),
        offset: Constant,
        length: usize,
    ) {
        let values = [self.value(offset), 0, u64::from(to_u32(length))];
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
struct Code {
    function: ir::Function,
    origin: Origin,
}

impl Code {
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

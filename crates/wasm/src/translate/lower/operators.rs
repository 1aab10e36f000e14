//! Lowers WebAssembly operators: one match arm each.

use wasmparser::{MemArg, MemArgTarget, Operator};

use super::super::ir::{self, CallKind, Inst, Operand, Plain};
use super::Lowering;
use super::stack::ValueLocation;
use crate::TranslateError;
use crate::bytecode::{Op, Type};
use crate::module::MAX_DISPATCH;

/// Lowers unary and binary operators that have an opcode of the same name.
macro_rules! same_name {
    ($self:ident, $operator:ident, unary { $($unary:ident $unary_type:ident,)* } binary { $($binary:ident $binary_type:ident,)* }) => {
        match $operator {
            $(Operator::$unary => { $self.unary(Op::$unary, Type::$unary_type); true })*
            $(Operator::$binary => { $self.binary(Op::$binary, Type::$binary_type); true })*
            _ => false,
        }
    };
}

impl Lowering<'_> {
    pub(super) fn operator(&mut self, operator: &Operator<'_>) -> Result<(), TranslateError> {
        if !self.reachable {
            self.skip(operator);
            return Ok(());
        }
        if self.numeric(operator)
            || self.conversion(operator)
            || self.access(operator)
            || self.memory(operator)
            || self.tables(operator)
            || self.references(operator)
        {
            return Ok(());
        }
        self.other(operator)
    }

    /// Skips an operator in unreachable code.
    fn skip(&mut self, operator: &Operator<'_>) {
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => self.dead += 1,
            Operator::End if self.dead > 0 => self.dead -= 1,
            Operator::End => self.end(),
            Operator::Else if self.dead == 0 => self.else_(),
            _ => {}
        }
    }

    fn numeric(&mut self, operator: &Operator<'_>) -> bool {
        same_name!(self, operator,
            unary {
            I32Eqz I32, I32Clz I32, I32Ctz I32, I32Popcnt I32, I32Extend8S I32, I32Extend16S I32,
            I64Eqz I32, I64Clz I64, I64Ctz I64, I64Popcnt I64, I64Extend8S I64, I64Extend16S I64,
            I64Extend32S I64,
            F32Abs F32, F32Neg F32, F32Ceil F32, F32Floor F32, F32Trunc F32, F32Nearest F32, F32Sqrt F32,
            F64Abs F64, F64Neg F64, F64Ceil F64, F64Floor F64, F64Trunc F64, F64Nearest F64, F64Sqrt F64,
            }
            binary {
            I32Add I32, I32Sub I32, I32Mul I32, I32DivS I32, I32DivU I32, I32RemS I32, I32RemU I32,
            I32And I32, I32Or I32, I32Xor I32, I32Shl I32, I32ShrS I32, I32ShrU I32, I32Rotl I32,
            I32Rotr I32, I32Eq I32, I32Ne I32, I32LtS I32, I32LtU I32, I32GtS I32, I32GtU I32,
            I32LeS I32, I32LeU I32, I32GeS I32, I32GeU I32,
            I64Add I64, I64Sub I64, I64Mul I64, I64DivS I64, I64DivU I64, I64RemS I64, I64RemU I64,
            I64And I64, I64Or I64, I64Xor I64, I64Shl I64, I64ShrS I64, I64ShrU I64, I64Rotl I64,
            I64Rotr I64, I64Eq I32, I64Ne I32, I64LtS I32, I64LtU I32, I64GtS I32, I64GtU I32,
            I64LeS I32, I64LeU I32, I64GeS I32, I64GeU I32,
            F32Add F32, F32Sub F32, F32Mul F32, F32Div F32, F32Min F32, F32Max F32, F32Copysign F32,
            F32Eq I32, F32Ne I32, F32Lt I32, F32Gt I32, F32Le I32, F32Ge I32,
            F64Add F64, F64Sub F64, F64Mul F64, F64Div F64, F64Min F64, F64Max F64, F64Copysign F64,
            F64Eq I32, F64Ne I32, F64Lt I32, F64Gt I32, F64Le I32, F64Ge I32,
            }
        )
    }

    fn conversion(&mut self, operator: &Operator<'_>) -> bool {
        match operator {
            Operator::I32WrapI64 | Operator::I32ReinterpretF32 => self.retype(Type::I32),
            Operator::I64ReinterpretF64 => self.retype(Type::I64),
            Operator::F32ReinterpretI32 => self.retype(Type::F32),
            Operator::F64ReinterpretI64 => self.retype(Type::F64),
            _ => {
                return same_name!(self, operator,
                    unary {
                    I64ExtendI32S I64, I64ExtendI32U I64,
                    I32TruncF32S I32, I32TruncF32U I32, I32TruncF64S I32, I32TruncF64U I32,
                    I64TruncF32S I64, I64TruncF32U I64, I64TruncF64S I64, I64TruncF64U I64,
                    I32TruncSatF32S I32, I32TruncSatF32U I32, I32TruncSatF64S I32, I32TruncSatF64U I32,
                    I64TruncSatF32S I64, I64TruncSatF32U I64, I64TruncSatF64S I64, I64TruncSatF64U I64,
                    F32ConvertI32S F32, F32ConvertI32U F32, F32ConvertI64S F32, F32ConvertI64U F32,
                    F64ConvertI32S F64, F64ConvertI32U F64, F64ConvertI64S F64, F64ConvertI64U F64,
                    F32DemoteF64 F32, F64PromoteF32 F64,
                    }
                    binary {}
                );
            }
        }
        true
    }

    fn access(&mut self, operator: &Operator<'_>) -> bool {
        match operator {
            Operator::I32Load { memarg } => self.load(Op::I32Load, memarg, Type::I32),
            Operator::I32Load8S { memarg } => self.load(Op::I32Load8S, memarg, Type::I32),
            Operator::I32Load8U { memarg } => self.load(Op::I32Load8U, memarg, Type::I32),
            Operator::I32Load16S { memarg } => self.load(Op::I32Load16S, memarg, Type::I32),
            Operator::I32Load16U { memarg } => self.load(Op::I32Load16U, memarg, Type::I32),
            Operator::I64Load { memarg } => self.load(Op::I64Load, memarg, Type::I64),
            Operator::I64Load8S { memarg } => self.load(Op::I64Load8S, memarg, Type::I64),
            Operator::I64Load8U { memarg } => self.load(Op::I64Load8U, memarg, Type::I64),
            Operator::I64Load16S { memarg } => self.load(Op::I64Load16S, memarg, Type::I64),
            Operator::I64Load16U { memarg } => self.load(Op::I64Load16U, memarg, Type::I64),
            Operator::I64Load32S { memarg } => self.load(Op::I64Load32S, memarg, Type::I64),
            Operator::I64Load32U { memarg } => self.load(Op::I64Load32U, memarg, Type::I64),
            Operator::F32Load { memarg } => self.load(Op::I32Load, memarg, Type::F32),
            Operator::F64Load { memarg } => self.load(Op::I64Load, memarg, Type::F64),
            Operator::I32Store8 { memarg } | Operator::I64Store8 { memarg } => {
                self.store(Op::Store8, memarg);
            }
            Operator::I32Store16 { memarg } | Operator::I64Store16 { memarg } => {
                self.store(Op::Store16, memarg);
            }
            Operator::I32Store { memarg }
            | Operator::I64Store32 { memarg }
            | Operator::F32Store { memarg } => {
                self.store(Op::Store32, memarg);
            }
            Operator::I64Store { memarg } | Operator::F64Store { memarg } => {
                self.store(Op::Store64, memarg);
            }
            _ => return false,
        }
        true
    }

    fn memory(&mut self, operator: &Operator<'_>) -> bool {
        match operator {
            Operator::MemorySize { mem } => {
                let memory = self.space.linked.memories[*mem as usize];
                self.numbered(Op::MemorySize, memory, Type::I32);
            }
            Operator::MemoryGrow { mem } => {
                let memory = self.space.linked.memories[*mem as usize];
                let b = self.pop_slot();
                self.to(Op::MemoryGrow, (b, 0), memory, Type::I32);
            }
            Operator::MemoryFill { mem } => {
                self.bulk(Op::MemoryFill, self.space.linked.memories[*mem as usize], 0);
            }
            Operator::MemoryCopy { dst_mem, src_mem } => {
                let memories = &self.space.linked.memories;
                self.bulk(
                    Op::MemoryCopy,
                    memories[*dst_mem as usize],
                    memories[*src_mem as usize],
                );
            }
            Operator::MemoryInit { data_index, mem } => {
                let memory = self.space.linked.memories[*mem as usize];
                self.bulk(Op::MemoryInit, memory, self.space.linked.data + data_index);
            }
            Operator::DataDrop { data_index } => {
                self.segment(Op::DataDrop, self.space.linked.data + data_index);
            }
            _ => return false,
        }
        true
    }

    fn tables(&mut self, operator: &Operator<'_>) -> bool {
        let table_of = |table: &u32| self.space.linked.tables[*table as usize];
        match operator {
            Operator::TableSize { table } => {
                self.numbered(Op::TableSize, table_of(table), Type::I32);
            }
            Operator::TableGet { table } => {
                let table = table_of(table);
                let b = self.pop_slot();
                self.to(Op::TableGet, (b, 0), table, Type::FuncRef);
            }
            Operator::TableSet { table } => {
                let table = table_of(table);
                let (y, x) = (self.stack.pop(), self.stack.pop());
                let (a, b) = (self.slot_of(x), self.slot_of(y));
                self.plain(Plain {
                    op: Op::TableSet,
                    a,
                    b,
                    c: 0,
                    extra: u64::from(table),
                });
            }
            Operator::TableGrow { table } => {
                let table = table_of(table);
                let (y, x) = (self.stack.pop(), self.stack.pop());
                let operands = (self.slot_of(x), self.slot_of(y));
                self.to(Op::TableGrow, operands, table, Type::I32);
            }
            Operator::TableFill { table } => self.bulk(Op::TableFill, table_of(table), 0),
            Operator::TableCopy {
                dst_table,
                src_table,
            } => {
                self.bulk(Op::TableCopy, table_of(dst_table), table_of(src_table));
            }
            Operator::TableInit { elem_index, table } => {
                let table = table_of(table);
                self.bulk(
                    Op::TableInit,
                    table,
                    self.space.linked.elements + elem_index,
                );
            }
            Operator::ElemDrop { elem_index } => {
                self.segment(Op::ElemDrop, self.space.linked.elements + elem_index);
            }
            _ => return false,
        }
        true
    }

    fn references(&mut self, operator: &Operator<'_>) -> bool {
        match operator {
            Operator::RefNull { .. } => {
                self.stack.push(ValueLocation::Const(0), Type::FuncRef);
            }
            Operator::RefFunc { function_index } => {
                // Validation requires that the function is referenced outside bodies, so it has an
                // index.
                let number = self.space.references[*function_index as usize];
                let bits = number.map_or(0, |number| u64::from(number) + 1);
                self.stack.push(ValueLocation::Const(bits), Type::FuncRef);
            }
            Operator::RefIsNull => self.unary(Op::I32Eqz, Type::I32),
            _ => return false,
        }
        true
    }

    fn other(&mut self, operator: &Operator<'_>) -> Result<(), TranslateError> {
        match operator {
            Operator::Nop => {}
            Operator::Unreachable => self.unreachable(),
            Operator::Block { blockty } => self.block(*blockty),
            Operator::Loop { blockty } => self.loop_(*blockty),
            Operator::If { blockty } => self.if_(*blockty),
            Operator::Else => self.else_(),
            Operator::End => self.end(),
            Operator::Br { relative_depth } => self.br(*relative_depth),
            Operator::BrIf { relative_depth } => self.br_if(*relative_depth),
            Operator::BrTable { targets } => self.br_table(targets)?,
            Operator::Return => self.return_(),
            Operator::Call { function_index } => self.call(*function_index),
            Operator::CallIndirect {
                type_index,
                table_index,
            } => self.call_indirect(*type_index, *table_index),
            Operator::Drop => {
                self.stack.pop();
            }
            Operator::Select | Operator::TypedSelect { .. } => self.select(),
            Operator::LocalGet { local_index } => self.local_get(*local_index),
            Operator::LocalSet { local_index } => self.local_set(*local_index),
            Operator::LocalTee { local_index } => self.local_tee(*local_index),
            Operator::GlobalGet { global_index } => self.global_get(*global_index),
            Operator::GlobalSet { global_index } => self.global_set(*global_index),
            Operator::I32Const { value } => {
                self.constant(u64::from(value.cast_unsigned()), Type::I32);
            }
            Operator::I64Const { value } => self.constant(value.cast_unsigned(), Type::I64),
            Operator::F32Const { value } => self.constant(u64::from(value.bits()), Type::F32),
            Operator::F64Const { value } => self.constant(value.bits(), Type::F64),
            other => {
                // The operator's name without its fields.
                let text = format!("{other:?}");
                let name = text.split(' ').next().unwrap_or_default();
                return Err(TranslateError::Invalid {
                    message: format!("instruction not supported: {name}"),
                    offset: u64::from(self.origin.offset),
                });
            }
        }
        Ok(())
    }

    fn constant(&mut self, bits: u64, ty: Type) {
        self.stack.push(ValueLocation::Const(bits), ty);
    }

    /// An instruction without operands.
    pub(super) fn simple(&mut self, op: Op) {
        self.plain(Plain {
            op,
            a: 0,
            b: 0,
            c: 0,
            extra: 0,
        });
    }

    fn unary(&mut self, op: Op, result: Type) {
        let b = self.pop_slot();
        let a = self.push_home(result);
        self.plain(Plain {
            op,
            a,
            b,
            c: 0,
            extra: 0,
        });
    }

    /// Reinterprets or narrows a value: the same bits, or their low half, as another type.
    fn retype(&mut self, ty: Type) {
        let entry = self.stack.pop();
        let value = match entry.value {
            ValueLocation::Const(bits) if ty.slots() == 1 => {
                ValueLocation::Const(bits & 0xffff_ffff)
            }
            value => value,
        };
        self.stack.push(value, ty);
    }

    fn memory_of(&self, access: &MemArg) -> u32 {
        match access.target {
            MemArgTarget::Memory(memory) => self.space.linked.memories[memory as usize],
            MemArgTarget::Array(_) => 0,
        }
    }

    fn load(&mut self, op: Op, access: &MemArg, ty: Type) {
        let c = self.memory_of(access);
        let b = self.pop_slot();
        let a = self.push_home(ty);
        self.plain(Plain {
            op,
            a,
            b,
            c,
            extra: access.offset,
        });
    }

    fn store(&mut self, op: Op, access: &MemArg) {
        let c = self.memory_of(access);
        let (value, address) = (self.stack.pop(), self.stack.pop());
        let (a, b) = (self.slot_of(address), self.slot_of(value));
        self.plain(Plain {
            op,
            a,
            b,
            c,
            extra: access.offset,
        });
    }

    /// An instruction with an index operand and a result.
    fn numbered(&mut self, op: Op, number: u32, ty: Type) {
        let a = self.push_home(ty);
        self.plain(Plain {
            op,
            a,
            b: 0,
            c: 0,
            extra: u64::from(number),
        });
    }

    fn to(&mut self, op: Op, (b, c): (u32, u32), number: u32, ty: Type) {
        let a = self.push_home(ty);
        self.plain(Plain {
            op,
            a,
            b,
            c,
            extra: u64::from(number),
        });
    }

    fn segment(&mut self, op: Op, number: u32) {
        self.plain(Plain {
            op,
            a: 0,
            b: 0,
            c: 0,
            extra: u64::from(number),
        });
    }

    fn bulk(&mut self, op: Op, written: u32, read: u32) {
        let a = self.pop_homes(3);
        self.plain(Plain {
            op,
            a,
            b: a + 1,
            c: a + 2,
            extra: u64::from(written | read << 16),
        });
    }

    fn global_get(&mut self, index: u32) {
        let (slot, ty) = self.space.globals[index as usize];
        let op = if ty.slots() == 2 {
            Op::GlobalGet64
        } else {
            Op::GlobalGet
        };
        self.numbered(op, slot, ty);
    }

    fn global_set(&mut self, index: u32) {
        let (slot, ty) = self.space.globals[index as usize];
        let op = if ty.slots() == 2 {
            Op::GlobalSet64
        } else {
            Op::GlobalSet
        };
        let a = self.pop_slot();
        self.plain(Plain {
            op,
            a,
            b: 0,
            c: 0,
            extra: u64::from(slot),
        });
    }

    fn select(&mut self) {
        let condition = self.pop_slot();
        let (y, x) = (self.stack.pop(), self.stack.pop());
        let (b, c) = (self.slot_of(x), self.slot_of(y));
        let a = self.push_home(x.ty);
        self.plain(Plain {
            op: if x.width() == 2 {
                Op::Select64
            } else {
                Op::Select
            },
            a,
            b,
            c,
            extra: u64::from(condition),
        });
    }

    fn call(&mut self, function: u32) {
        let (function, ty) = self.space.linked.functions[function as usize];
        self.call_as(function, ty, CallKind::Direct);
    }

    fn call_as(&mut self, function: ir::FunctionId, ty: u32, kind: CallKind) {
        let (_, ty) = &self.space.linked.types[ty as usize];
        let arguments = self.pop_arguments(ty.params.len());
        let base = self.stack.top();
        self.push(Inst::Call {
            function,
            arguments,
            base,
            results: ir::slots(&ty.results),
            kind,
        });
        self.set_fence();
        for &result in &ty.results {
            self.push_home(result);
        }
    }

    /// An indirect call. If the table is immutable and few of its functions have the type, the
    /// index is compared with each of their elements (devirtualization); other indices use the
    /// table, and trap as required.
    fn call_indirect(&mut self, ty: u32, table: u32) {
        let (type_index, function_type) = &self.space.linked.types[ty as usize];
        let index = self.stack.pop();
        let candidates = self.candidates(ty, table);
        let arguments = self.pop_arguments(function_type.params.len());
        let base = self.stack.top();
        let results = ir::slots(&function_type.results);
        let index = match index.operand() {
            Operand::Const(_) if !candidates.is_empty() => Operand::Slot(self.slot_of(index)),
            operand => operand,
        };
        let end = self.new_label();
        if !candidates.is_empty() {
            self.push(Inst::Block(end));
        }
        for &(element, function) in &candidates {
            let Operand::Slot(x) = index else { break };
            let next = self.new_label();
            self.push(Inst::Block(next));
            self.push(Inst::BrIf {
                op: Op::BrI32NeConst,
                x,
                y: element,
                label: next,
            });
            self.push(Inst::Call {
                function,
                arguments: arguments.clone(),
                base,
                results,
                kind: CallKind::Devirtualized,
            });
            self.push(Inst::Br(end));
            self.push(Inst::End(next));
        }
        self.push(Inst::CallIndirect {
            table: self.space.linked.tables[table as usize],
            type_index: *type_index,
            index,
            arguments,
            base,
            results,
        });
        if !candidates.is_empty() {
            self.push(Inst::End(end));
        }
        self.set_fence();
        for &result in &function_type.results {
            self.push_home(result);
        }
    }

    /// The elements of an immutable table that a call of this type can target; empty if there are
    /// many.
    fn candidates(&self, ty: u32, table: u32) -> Vec<(u32, ir::FunctionId)> {
        let wanted = self.space.linked.types[ty as usize].0;
        let found = self.space.linked.dispatch.get(&(table, wanted));
        let few = found.filter(|found| found.len() <= MAX_DISPATCH);
        few.cloned().unwrap_or_default()
    }
}

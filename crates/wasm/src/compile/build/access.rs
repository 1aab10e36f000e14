//! Loads, stores and the operators on whole memories.

use wasmparser::{MemArg, Operator};

use super::builder::Builder;
use crate::TrapCode;
use crate::compile::CompileError;
use crate::compile::ir::{Access, Op, Type, Width};

const SIGNED_8: Width = Width::Bits8 { signed: true };
const UNSIGNED_8: Width = Width::Bits8 { signed: false };
const SIGNED_16: Width = Width::Bits16 { signed: true };
const UNSIGNED_16: Width = Width::Bits16 { signed: false };
const SIGNED_32: Width = Width::Bits32 { signed: true };
const UNSIGNED_32: Width = Width::Bits32 { signed: false };

/// The type and width of a load.
fn load<'o>(operator: &'o Operator<'_>) -> Option<(Type, Width, &'o MemArg)> {
    Some(match operator {
        Operator::I32Load { memarg } => (Type::I32, Width::Full, memarg),
        Operator::I32Load8S { memarg } => (Type::I32, SIGNED_8, memarg),
        Operator::I32Load8U { memarg } => (Type::I32, UNSIGNED_8, memarg),
        Operator::I32Load16S { memarg } => (Type::I32, SIGNED_16, memarg),
        Operator::I32Load16U { memarg } => (Type::I32, UNSIGNED_16, memarg),
        Operator::I64Load { memarg } => (Type::I64, Width::Full, memarg),
        Operator::I64Load8S { memarg } => (Type::I64, SIGNED_8, memarg),
        Operator::I64Load8U { memarg } => (Type::I64, UNSIGNED_8, memarg),
        Operator::I64Load16S { memarg } => (Type::I64, SIGNED_16, memarg),
        Operator::I64Load16U { memarg } => (Type::I64, UNSIGNED_16, memarg),
        Operator::I64Load32S { memarg } => (Type::I64, SIGNED_32, memarg),
        Operator::I64Load32U { memarg } => (Type::I64, UNSIGNED_32, memarg),
        Operator::F32Load { memarg } => (Type::F32, Width::Full, memarg),
        Operator::F64Load { memarg } => (Type::F64, Width::Full, memarg),
        _ => return None,
    })
}

/// The type and width of a store.
fn store<'o>(operator: &'o Operator<'_>) -> Option<(Type, Width, &'o MemArg)> {
    Some(match operator {
        Operator::I32Store { memarg } => (Type::I32, Width::Full, memarg),
        Operator::I32Store8 { memarg } => (Type::I32, UNSIGNED_8, memarg),
        Operator::I32Store16 { memarg } => (Type::I32, UNSIGNED_16, memarg),
        Operator::I64Store { memarg } => (Type::I64, Width::Full, memarg),
        Operator::I64Store8 { memarg } => (Type::I64, UNSIGNED_8, memarg),
        Operator::I64Store16 { memarg } => (Type::I64, UNSIGNED_16, memarg),
        Operator::I64Store32 { memarg } => (Type::I64, UNSIGNED_32, memarg),
        Operator::F32Store { memarg } => (Type::F32, Width::Full, memarg),
        Operator::F64Store { memarg } => (Type::F64, Width::Full, memarg),
        _ => return None,
    })
}

impl Builder<'_> {
    /// An access to memory. Whether the operator is one.
    pub(super) fn access(&mut self, operator: &Operator<'_>) -> Result<bool, CompileError> {
        if let Some((ty, width, memarg)) = load(operator) {
            let access = self.access_of(ty, width, memarg)?;
            let address = self.pop_number();
            let value = self.add(Op::Load { access, address }, ty);
            self.stack.push(value);
            return Ok(true);
        }
        let Some((ty, width, memarg)) = store(operator) else {
            return self.whole(operator);
        };
        let access = self.access_of(ty, width, memarg)?;
        let value = self.pop_number();
        let address = self.pop_number();
        let op = Op::Store {
            access,
            address,
            value,
        };
        self.add(op, Type::Unit);
        Ok(true)
    }

    fn access_of(
        &mut self,
        ty: Type,
        width: Width,
        memarg: &MemArg,
    ) -> Result<Access, CompileError> {
        self.check_memory()?;
        let Ok(offset) = u32::try_from(memarg.offset) else {
            return Err(self.refuse("an offset of more than 32 bits"));
        };
        Ok(Access {
            ty,
            width,
            offset,
            align: memarg.align,
            trap: self.site(TrapCode::OutOfBoundsMemory, None),
        })
    }

    /// An error unless the memory is the program's first one and belongs to the module: only its
    /// contents and size are known.
    pub(super) fn check_memory(&self) -> Result<(), CompileError> {
        if self.module.module.memories.is_empty() {
            return Err(self.refuse("a memory of another module"));
        }
        if self.module.memories.first() != Some(&0) {
            return Err(self.refuse("a second memory"));
        }
        Ok(())
    }

    /// An operator on a whole memory or segment. Whether it is one.
    fn whole(&mut self, operator: &Operator<'_>) -> Result<bool, CompileError> {
        let op = match *operator {
            Operator::DataDrop { data_index } => {
                self.add(Op::DataDrop(data_index), Type::Unit);
                return Ok(true);
            }
            Operator::MemorySize { .. } => Op::MemorySize,
            Operator::MemoryGrow { .. } => Op::MemoryGrow(self.pop_number()),
            Operator::MemoryCopy { .. }
            | Operator::MemoryFill { .. }
            | Operator::MemoryInit { .. } => self.bulk(operator),
            _ => return Ok(false),
        };
        self.check_memory()?;
        if matches!(op, Op::MemorySize | Op::MemoryGrow(_)) {
            let value = self.add(op, Type::I32);
            self.stack.push(value);
        } else {
            self.add(op, Type::Unit);
        }
        Ok(true)
    }

    fn bulk(&mut self, operator: &Operator<'_>) -> Op {
        let trap = self.site(TrapCode::OutOfBoundsMemory, None);
        let bytes = self.pop_number();
        let second = self.pop_number();
        let to = self.pop_number();
        match *operator {
            Operator::MemoryFill { .. } => Op::MemoryFill {
                to,
                value: second,
                bytes,
                trap,
            },
            Operator::MemoryInit { data_index, .. } => Op::MemoryInit {
                segment: data_index,
                to,
                from: second,
                bytes,
                trap,
            },
            _ => Op::MemoryCopy {
                to,
                from: second,
                bytes,
                trap,
            },
        }
    }
}

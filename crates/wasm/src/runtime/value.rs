//! Conversion of values to slots and back.

use super::WasmValue;
use crate::bytecode::Type;

impl WasmValue {
    /// A 32-bit integer.
    pub fn i32(value: i32) -> Self {
        Self::of(Type::I32, u64::from(value as u32))
    }

    /// A 64-bit integer.
    pub fn i64(value: i64) -> Self {
        Self::of(Type::I64, value as u64)
    }

    /// A 32-bit float.
    pub fn f32(value: f32) -> Self {
        Self::of(Type::F32, u64::from(value.to_bits()))
    }

    /// A 64-bit float.
    pub fn f64(value: f64) -> Self {
        Self::of(Type::F64, value.to_bits())
    }

    const fn of(ty: Type, bits: u64) -> Self {
        Self { ty, bits }
    }

    /// The value's slots, low word first.
    pub fn slots(self) -> impl Iterator<Item = u32> {
        let words = [self.bits as u32, (self.bits >> 32) as u32];
        words.into_iter().take(self.ty.slots() as usize)
    }

    /// The values of these types in consecutive slots; missing slots count as 0.
    pub fn from_slots(types: &[Type], slots: &[u32]) -> Vec<Self> {
        let mut slots = slots.iter().copied();
        let mut next = || u64::from(slots.next().unwrap_or(0));
        let value = |&ty: &Type| {
            let low = next();
            let high = if ty.slots() == 2 { next() } else { 0 };
            Self::of(ty, low | high << 32)
        };
        types.iter().map(value).collect()
    }
}

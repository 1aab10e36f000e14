//! WebAssembly values, and their conversion to slots and back.

use std::fmt;

use crate::bytecode::Type;

/// A WebAssembly value: an argument or a result.
///
/// Values are equal if their types and bits are, so a NaN equals itself and 0.0 differs from -0.0.
///
/// ```
/// use anywarp_wasm::Value;
///
/// let value = Value::from(2.5f32);
/// assert_eq!(value.as_f32(), Some(2.5));
/// assert_eq!(value.as_i32(), None);
/// assert_eq!(format!("{value:?}"), "2.5f32");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Value {
    ty: Type,
    /// A 32-bit value has its bits in the low half.
    bits: u64,
}

impl Value {
    /// A 32-bit integer.
    pub fn i32(value: i32) -> Self {
        Self::from_bits(Type::I32, u64::from(value as u32))
    }

    /// A 64-bit integer.
    pub fn i64(value: i64) -> Self {
        Self::from_bits(Type::I64, value as u64)
    }

    /// A 32-bit float.
    pub fn f32(value: f32) -> Self {
        Self::from_bits(Type::F32, u64::from(value.to_bits()))
    }

    /// A 64-bit float.
    pub fn f64(value: f64) -> Self {
        Self::from_bits(Type::F64, value.to_bits())
    }

    /// A value of a type by its bits; the high half is ignored if the type has 32 bits. The bits of
    /// a reference are its number plus 1, and 0 is null.
    pub const fn from_bits(ty: Type, bits: u64) -> Self {
        let bits = if ty.slots() == 2 {
            bits
        } else {
            bits & u32::MAX as u64
        };
        Self { ty, bits }
    }

    /// Its type.
    pub const fn ty(self) -> Type {
        self.ty
    }

    /// Its bits, in the low half if the type has 32 bits.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The 32-bit integer, if it is one.
    pub fn as_i32(self) -> Option<i32> {
        (self.ty == Type::I32).then_some(self.bits as i32)
    }

    /// The 32-bit integer as an unsigned number, if it is one.
    pub fn as_u32(self) -> Option<u32> {
        (self.ty == Type::I32).then_some(self.bits as u32)
    }

    /// The 64-bit integer, if it is one.
    pub fn as_i64(self) -> Option<i64> {
        (self.ty == Type::I64).then_some(self.bits as i64)
    }

    /// The 64-bit integer as an unsigned number, if it is one.
    pub fn as_u64(self) -> Option<u64> {
        (self.ty == Type::I64).then_some(self.bits)
    }

    /// The 32-bit float, if it is one.
    pub fn as_f32(self) -> Option<f32> {
        (self.ty == Type::F32).then(|| f32::from_bits(self.bits as u32))
    }

    /// The 64-bit float, if it is one.
    pub fn as_f64(self) -> Option<f64> {
        (self.ty == Type::F64).then(|| f64::from_bits(self.bits))
    }

    /// The value's slots, low word first.
    #[doc(hidden)]
    pub fn slots(self) -> impl Iterator<Item = u32> {
        let words = [self.bits as u32, (self.bits >> 32) as u32];
        words.into_iter().take(self.ty.slots() as usize)
    }

    /// The values of these types in consecutive slots; missing slots count as 0.
    #[doc(hidden)]
    pub fn from_slots(types: &[Type], slots: &[u32]) -> Vec<Self> {
        let mut slots = slots.iter().copied();
        let mut next = || u64::from(slots.next().unwrap_or(0));
        let value = |&ty: &Type| {
            let low = next();
            let high = if ty.slots() == 2 { next() } else { 0 };
            Self::from_bits(ty, low | high << 32)
        };
        types.iter().map(value).collect()
    }
}

impl fmt::Debug for Value {
    /// A number with its type as in Rust, such as `25i32`; a reference as `funcref 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            Type::I32 => write!(f, "{}i32", self.bits as i32),
            Type::I64 => write!(f, "{}i64", self.bits as i64),
            Type::F32 => write!(f, "{:?}f32", f32::from_bits(self.bits as u32)),
            Type::F64 => write!(f, "{:?}f64", f64::from_bits(self.bits)),
            Type::FuncRef | Type::ExternRef => match self.bits.checked_sub(1) {
                Some(number) => write!(f, "{} {number}", self.ty),
                None => write!(f, "null {}", self.ty),
            },
        }
    }
}

macro_rules! from {
    ($($ty:ty: |$value:ident| $into:expr;)*) => {$(
        impl From<$ty> for Value {
            fn from($value: $ty) -> Self {
                $into
            }
        }
    )*};
}

from! {
    i32: |value| Self::i32(value);
    u32: |value| Self::i32(value as i32);
    i64: |value| Self::i64(value);
    u64: |value| Self::i64(value as i64);
    f32: |value| Self::f32(value);
    f64: |value| Self::f64(value);
}

#[cfg(test)]
mod tests {
    use super::{Type, Value};

    #[test]
    fn numbers_of_every_type_come_back() {
        assert_eq!(Value::from(-7).as_i32(), Some(-7));
        assert_eq!(Value::from(u32::MAX), Value::i32(-1));
        assert_eq!(Value::from(u32::MAX).as_u32(), Some(u32::MAX));
        assert_eq!(Value::from(i64::MIN).as_i64(), Some(i64::MIN));
        assert_eq!(Value::from(u64::MAX).as_u64(), Some(u64::MAX));
        assert_eq!(Value::from(1.5f32).as_f32(), Some(1.5));
        assert_eq!(Value::from(1.5f64).as_f64(), Some(1.5));
        assert_eq!(Value::from(1.5f64).as_f32(), None);
        assert_eq!(Value::f32(f32::NAN), Value::f32(f32::NAN));
        assert_ne!(Value::f32(0.0), Value::f32(-0.0));
    }

    #[test]
    fn a_value_shows_its_type() {
        let shown = |value: Value| format!("{value:?}");
        assert_eq!(shown(Value::i64(-1)), "-1i64");
        assert_eq!(shown(Value::f64(0.5)), "0.5f64");
        assert_eq!(shown(Value::from_bits(Type::FuncRef, 4)), "funcref 3");
        assert_eq!(
            shown(Value::from_bits(Type::ExternRef, 0)),
            "null externref"
        );
    }
}

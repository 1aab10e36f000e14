//! The types of random kernels, and the layout of their scalars in a buffer.
//!
//! Floats have integral values up to [`Scalar::limit`] only, so that every operation that the generator uses is exact
//! in any order, fused or not. The sign of zero is open.

use std::fmt;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `f32`.
    F32,
    /// `i16`.
    I16,
    /// `u16`.
    U16,
    /// `i64`.
    I64,
    /// `u64`.
    U64,
    /// `f16`.
    F16,
    /// `f64`.
    F64,
}

impl Scalar {
    /// Its name in WGSL.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::F64 => "f64",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::F64)
    }

    pub(crate) fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether it is a signed integer.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::I16 | Self::I32 | Self::I64)
    }

    /// Whether it is an unsigned integer.
    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Self::U16 | Self::U32 | Self::U64)
    }

    /// The integer type with the signedness of this one and the size of another.
    pub(crate) fn resized(self, other: Self) -> Self {
        match (self.is_signed(), other.size()) {
            (true, 2) => Self::I16,
            (true, 4) => Self::I32,
            (true, _) => Self::I64,
            (false, 2) => Self::U16,
            (false, 4) => Self::U32,
            (false, _) => Self::U64,
        }
    }

    /// The device feature that it needs, by its name in the conformance folder.
    pub(crate) fn feature(self) -> Option<&'static str> {
        match self {
            Self::I16 | Self::U16 => Some("int16"),
            Self::I64 | Self::U64 => Some("int64"),
            Self::F16 => Some("f16"),
            Self::F64 => Some("f64"),
            Self::Bool | Self::I32 | Self::U32 | Self::F32 => None,
        }
    }

    /// Bytes in a buffer.
    pub(crate) fn size(self) -> u32 {
        match self {
            Self::F16 | Self::I16 | Self::U16 => 2,
            Self::Bool | Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The largest magnitude of floats. The sum of four products of such numbers is exact.
    pub(crate) fn limit(self) -> i64 {
        match self {
            Self::F16 => 16,
            _ => 1024,
        }
    }

    /// A number in a buffer, truncated to the type.
    pub(crate) fn bytes(self, value: i64) -> Vec<u8> {
        match self {
            Self::F32 => (value as f32).to_le_bytes().to_vec(),
            Self::F64 => (value as f64).to_le_bytes().to_vec(),
            Self::F16 => half(value).to_le_bytes().to_vec(),
            _ => value.to_le_bytes()[..self.size() as usize].to_vec(),
        }
    }
}

/// An integer as the bits of a half float; its magnitude is below 2048.
pub(crate) fn half(value: i64) -> u16 {
    let sign = u16::from(value < 0) << 15;
    let size = value.unsigned_abs() as u16;
    if size == 0 {
        return sign;
    }
    let exponent = 15 - size.leading_zeros() as u16;
    sign | (exponent + 15) << 10 | (size << (10 - exponent) & 0x3ff)
}

/// A type with a constructor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// One number or boolean.
    Scalar(Scalar),
    /// Two to four components.
    Vector(Scalar, u32),
    /// Columns and rows.
    Matrix(Scalar, u32, u32),
    /// A fixed number of elements.
    Array(Box<Type>, u32),
    /// By its index in the kernel.
    Struct(usize),
}

/// The members of a kernel's structs.
pub(crate) type Structs = Vec<Vec<Type>>;

impl Type {
    /// The scalar of scalars, vectors and matrices.
    pub(crate) fn scalar(&self) -> Option<Scalar> {
        match *self {
            Self::Scalar(scalar) | Self::Vector(scalar, _) | Self::Matrix(scalar, ..) => {
                Some(scalar)
            }
            Self::Array(..) | Self::Struct(_) => None,
        }
    }

    /// One for scalars, the number of components for vectors, `None` for other types.
    pub(crate) fn width(&self) -> Option<u32> {
        match *self {
            Self::Scalar(_) => Some(1),
            Self::Vector(_, width) => Some(width),
            _ => None,
        }
    }

    /// A scalar or a vector.
    pub(crate) fn wide(scalar: Scalar, width: u32) -> Self {
        match width {
            1 => Self::Scalar(scalar),
            _ => Self::Vector(scalar, width),
        }
    }

    /// A text that can be part of a name.
    pub(crate) fn word(&self) -> String {
        self.to_string()
            .replace(['<', ','], "_")
            .replace(['>', ' '], "")
    }

    fn align(&self, structs: &Structs) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.size(),
            Self::Vector(scalar, width) => scalar.size() * if *width == 2 { 2 } else { 4 },
            Self::Matrix(scalar, _, rows) => Self::Vector(*scalar, *rows).align(structs),
            Self::Array(element, _) => element.align(structs),
            Self::Struct(index) => structs[*index]
                .iter()
                .map(|ty| ty.align(structs))
                .max()
                .unwrap_or(4),
        }
    }

    /// Bytes in a buffer.
    pub(crate) fn size(&self, structs: &Structs) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.size(),
            Self::Vector(scalar, width) => scalar.size() * width,
            Self::Matrix(scalar, columns, rows) => {
                columns * Self::Vector(*scalar, *rows).stride(structs)
            }
            Self::Array(element, count) => count * element.stride(structs),
            Self::Struct(index) => {
                let mut end: u32 = 0;
                for member in &structs[*index] {
                    end = end.next_multiple_of(member.align(structs)) + member.size(structs);
                }
                end.next_multiple_of(self.align(structs))
            }
        }
    }

    fn stride(&self, structs: &Structs) -> u32 {
        self.size(structs).next_multiple_of(self.align(structs))
    }

    /// Every scalar with its byte offset; the rest is padding.
    pub(crate) fn leaves(&self, structs: &Structs, at: u32, found: &mut Vec<(u32, Scalar)>) {
        match self {
            Self::Scalar(scalar) => found.push((at, *scalar)),
            Self::Vector(scalar, width) => {
                found.extend((0..*width).map(|i| (at + i * scalar.size(), *scalar)));
            }
            Self::Matrix(scalar, columns, rows) => {
                let column = Self::Vector(*scalar, *rows);
                for i in 0..*columns {
                    column.leaves(structs, at + i * column.stride(structs), found);
                }
            }
            Self::Array(element, count) => {
                for i in 0..*count {
                    element.leaves(structs, at + i * element.stride(structs), found);
                }
            }
            Self::Struct(index) => {
                let mut offset: u32 = 0;
                for member in &structs[*index] {
                    offset = offset.next_multiple_of(member.align(structs));
                    member.leaves(structs, at + offset, found);
                    offset += member.size(structs);
                }
            }
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => f.write_str(scalar.name()),
            Self::Vector(scalar, width) => write!(f, "vec{width}<{}>", scalar.name()),
            Self::Matrix(scalar, columns, rows) => {
                write!(f, "mat{columns}x{rows}<{}>", scalar.name())
            }
            Self::Array(element, count) => write!(f, "array<{element}, {count}>"),
            Self::Struct(index) => write!(f, "S{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_follows_wgsl() {
        let f32x3 = Type::Vector(Scalar::F32, 3);
        let structs = vec![vec![Type::Scalar(Scalar::I32), f32x3.clone()]];
        let mut leaves = Vec::new();
        Type::Array(Box::new(Type::Struct(0)), 2).leaves(&structs, 0, &mut leaves);
        let offsets: Vec<_> = leaves.iter().map(|(offset, _)| *offset).collect();
        assert_eq!(offsets, [0, 16, 20, 24, 32, 48, 52, 56]);
        assert_eq!(Type::Matrix(Scalar::F32, 2, 3).size(&structs), 32);
        assert_eq!(f32x3.size(&structs), 12);
        let halves = [
            (0, 0),
            (1, 0x3c00),
            (-2, 0xc000),
            (15, 0x4b80),
            (16, 0x4c00),
        ];
        assert_eq!(
            halves.map(|(value, _)| half(value)),
            halves.map(|(_, bits)| bits)
        );
    }
}

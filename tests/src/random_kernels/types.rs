//! The types of random kernels, and where their scalars lie in a buffer.
//!
//! Floats hold whole numbers up to [`Scalar::limit`] and nothing else, so that every operation the
//! generator uses is exact in any order, fused or not. The sign of zero is open.

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
}

impl Scalar {
    /// Its name in WGSL.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        self == Self::F32
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Self::I32 | Self::U32)
    }

    /// Bytes in a buffer.
    pub(crate) fn size(self) -> u32 {
        4
    }

    /// No float is further from zero than this.
    pub(crate) fn limit(self) -> i64 {
        1024
    }
}

/// A type with a constructor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// One number or truth value.
    Scalar(Scalar),
    /// Two to four.
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

    /// One for scalars, the components of vectors, `None` for others.
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

    /// A name that can be part of another.
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
            Self::Struct(index) => {
                let members = structs[*index].iter();
                members.map(|ty| ty.align(structs)).max().unwrap_or(4)
            }
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

    /// Every scalar with its byte offset; what is between them is padding.
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
    }
}

//! Memory layouts of buffer types.
//!
//! In: a naga type. Out: a [`Layout`], a tree of structs, arrays, matrices, vectors and scalars with offsets, sizes
//! and strides in bytes, by WGSL's rules. Built on it: the members that `inspect` prints ([`report`]), the encoding
//! of values by member name ([`encode`]) and the decoding of bytes ([`decode`]).
//!
//! What always holds: equal types share one layout, so that the memory of a tree is proportional to the type's
//! declarations, even if structs contain each other many times.

mod decode;
mod encode;
mod report;

use std::collections::HashMap;
use std::rc::Rc;

use anywarp_program::naga::common::wgsl::TypeContext;
use anywarp_program::naga::{
    ArraySize, Handle, Module, Scalar, ScalarKind, StructMember, Type, TypeInner,
};

use crate::specs::ElementType;

pub(crate) use decode::Decoded;
pub(crate) use encode::{EncodeError, Encoder};
pub(crate) use report::{LayoutReport, ReportBudget, lines};

/// The memory layout of a type.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The type as WGSL writes it.
    pub(crate) ty: String,
    /// In bytes; a runtime-sized array counts as one element.
    pub(crate) size: u64,
    pub(crate) shape: Shape,
}

/// The structure of a type.
#[derive(Debug)]
pub(crate) enum Shape {
    Scalar(ElementType),
    Vector {
        element: ElementType,
        count: u64,
    },
    /// Columns, each of them a vector.
    Matrix {
        column: Rc<Layout>,
        count: u64,
        stride: u64,
    },
    Array {
        element: Rc<Layout>,
        stride: u64,
        /// `None` for a runtime-sized array.
        count: Option<u64>,
    },
    Struct(Vec<Member>),
}

/// A member of a struct.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// From the beginning of the struct.
    pub(crate) offset: u64,
    pub(crate) layout: Rc<Layout>,
}

impl Layout {
    /// The layout of a type; `None` for types that buffers cannot hold.
    pub(crate) fn new(module: &Module, ty: Handle<Type>) -> Option<Rc<Self>> {
        Builder {
            module,
            known: HashMap::new(),
        }
        .layout(ty)
    }

    /// The runtime-sized array at the end of a type: its offset, element and stride.
    pub(crate) fn runtime_array(&self) -> Option<(u64, &Layout, u64)> {
        match &self.shape {
            Shape::Array {
                element,
                stride,
                count: None,
            } => Some((0, element, *stride)),
            Shape::Struct(members) => {
                let last = members.last()?;
                let (offset, element, stride) = last.layout.runtime_array()?;
                Some((last.offset + offset, element, stride))
            }
            _ => None,
        }
    }

    /// The bytes up to the end of the first `count` elements of an array; `None` for other types.
    pub(crate) fn prefix(&self, count: u64) -> Option<u64> {
        match &self.shape {
            Shape::Array { stride, .. } => Some(count.saturating_mul(*stride)),
            _ => None,
        }
    }
}

struct Builder<'a> {
    module: &'a Module,
    known: HashMap<Handle<Type>, Option<Rc<Layout>>>,
}

impl Builder<'_> {
    fn layout(&mut self, ty: Handle<Type>) -> Option<Rc<Layout>> {
        if let Some(known) = self.known.get(&ty) {
            return known.clone();
        }
        let layout = self.shape(ty).map(|shape| {
            Rc::new(Layout {
                ty: spelling(self.module, ty),
                size: u64::from(self.module.types[ty].inner.size(self.module.to_ctx())),
                shape,
            })
        });
        self.known.insert(ty, layout.clone());
        layout
    }

    fn shape(&mut self, ty: Handle<Type>) -> Option<Shape> {
        Some(match &self.module.types[ty].inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                Shape::Scalar(element_type(*scalar)?)
            }
            TypeInner::Vector { size, scalar } => Shape::Vector {
                element: element_type(*scalar)?,
                count: *size as u64,
            },
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => matrix(*columns as u64, *rows as u64, *scalar)?,
            TypeInner::Array { base, size, stride } => Shape::Array {
                element: self.layout(*base)?,
                stride: u64::from(*stride),
                count: match size {
                    ArraySize::Constant(count) => Some(u64::from(count.get())),
                    ArraySize::Dynamic => None,
                    ArraySize::Pending(_) => return None,
                },
            },
            TypeInner::Struct { members, .. } => Shape::Struct(self.members(members)?),
            _ => return None,
        })
    }

    fn members(&mut self, members: &[StructMember]) -> Option<Vec<Member>> {
        let named = members.iter().enumerate().map(|(index, member)| {
            Some(Member {
                // SPIR-V may come without names.
                name: member
                    .name
                    .clone()
                    .unwrap_or_else(|| format!("member_{index}")),
                offset: u64::from(member.offset),
                layout: self.layout(member.ty)?,
            })
        });
        named.collect()
    }
}

/// Columns of three rows are aligned like those of four.
fn matrix(columns: u64, rows: u64, scalar: Scalar) -> Option<Shape> {
    let element = element_type(scalar)?;
    let (size, stride) = (rows * element.bytes(), (rows + rows % 2) * element.bytes());
    Some(Shape::Matrix {
        column: Rc::new(Layout {
            ty: format!("vec{rows}<{element}>"),
            size,
            shape: Shape::Vector {
                element,
                count: rows,
            },
        }),
        count: columns,
        stride,
    })
}

fn spelling(module: &Module, ty: Handle<Type>) -> String {
    // naga writes `array<f32, 4>`, but `texture_storage_2d<rgba8unorm,write>`.
    let spelling = module.to_ctx().type_to_string(ty);
    spelling.replace(", ", ",").replace(',', ", ")
}

/// The element type of a scalar; `None` for booleans, which buffers cannot hold.
pub(crate) fn element_type(scalar: Scalar) -> Option<ElementType> {
    Some(match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => ElementType::F16,
        (ScalarKind::Float, 4) => ElementType::F32,
        (ScalarKind::Float, 8) => ElementType::F64,
        (ScalarKind::Sint, 2) => ElementType::I16,
        (ScalarKind::Sint, 4) => ElementType::I32,
        (ScalarKind::Sint, 8) => ElementType::I64,
        (ScalarKind::Uint, 2) => ElementType::U16,
        (ScalarKind::Uint, 4) => ElementType::U32,
        (ScalarKind::Uint, 8) => ElementType::U64,
        _ => return None,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use anywarp_program::Program;

    use super::*;

    /// The layout of a module's first variable.
    pub(crate) fn layout(text: &str) -> Rc<Layout> {
        let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}"));
        let (_, variable) = program.module().global_variables.iter().next().unwrap();
        Layout::new(program.module(), variable.ty).unwrap()
    }

    #[test]
    fn matrices_have_the_stride_of_their_columns() {
        for (columns, rows) in [
            (2, 2),
            (3, 2),
            (4, 2),
            (2, 3),
            (3, 3),
            (4, 3),
            (2, 4),
            (4, 4),
        ] {
            let matrix = layout(&format!(
                "@group(0) @binding(0) var<uniform> v: mat{columns}x{rows}<f32>;"
            ));
            let Shape::Matrix { count, stride, .. } = matrix.shape else {
                panic!("not a matrix");
            };
            assert_eq!(count * stride, matrix.size, "{}", matrix.ty);
        }
    }

    #[test]
    fn structs_that_contain_each_other_are_shared() {
        let mut text = "struct S0 { a: u32 }".to_owned();
        for depth in 1..14 {
            let inner = depth - 1;
            text += &format!("struct S{depth} {{ a: S{inner}, b: S{inner} }}");
        }
        text += "@group(0) @binding(0) var<storage> v: S13;";
        assert_eq!(layout(&text).size, 4 << 13);
    }
}

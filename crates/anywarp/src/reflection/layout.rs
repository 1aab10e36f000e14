//! Memory layouts of buffer types.
//!
//! In: a naga type. Out: a [`Layout`], a tree of structs, arrays, matrices, vectors and scalars with offsets, sizes
//! and strides in bytes, by WGSL's rules.
//!
//! What always holds: equal types share one layout, so that the memory of a tree is proportional to the type's
//! declarations, even if structs contain each other many times.

use std::collections::HashMap;
use std::sync::Arc;

use anywarp_program::naga::common::wgsl::TypeContext;
use anywarp_program::naga::{
    ArraySize, Handle, Module, Scalar, ScalarKind, StructMember, Type, TypeInner,
};

use super::element::ElementType;

/// The memory layout of a type.
#[derive(Debug)]
pub struct Layout {
    /// The type as WGSL writes it.
    pub ty: String,
    /// In bytes; a runtime-sized array counts as one element.
    pub size: u64,
    /// Its structure.
    pub shape: Shape,
}

/// The structure of a type.
#[derive(Debug)]
// Exhaustive: WGSL has no other host-shareable types.
pub enum Shape {
    /// A number, atomic or not.
    Scalar(ElementType),
    /// Two to four numbers.
    Vector {
        /// The type of a component.
        element: ElementType,
        /// The number of components.
        count: u64,
    },
    /// Columns, each of them a vector.
    Matrix {
        /// The type of a column.
        column: Arc<Layout>,
        /// The number of columns.
        count: u64,
        /// Bytes from one column to the next.
        stride: u64,
    },
    /// Elements of one type.
    Array {
        /// The type of an element.
        element: Arc<Layout>,
        /// Bytes from one element to the next.
        stride: u64,
        /// `None` for a runtime-sized array.
        count: Option<u64>,
    },
    /// Members in ascending order of offsets.
    Struct(Vec<Member>),
}

/// A member of a struct.
#[derive(Debug)]
pub struct Member {
    /// Its name; `member_0` and so on if the module has none.
    pub name: String,
    /// From the beginning of the struct.
    pub offset: u64,
    /// The layout of its type.
    pub layout: Arc<Layout>,
}

impl Layout {
    /// The layout of a type; `None` for types that buffers cannot hold.
    pub fn new(module: &Module, ty: Handle<Type>) -> Option<Arc<Self>> {
        Builder {
            module,
            known: HashMap::new(),
        }
        .layout(ty)
    }

    /// The runtime-sized array at the end of a type: its offset, element and stride.
    pub fn runtime_array(&self) -> Option<(u64, &Layout, u64)> {
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
    pub fn prefix(&self, count: u64) -> Option<u64> {
        match &self.shape {
            Shape::Array { stride, .. } => Some(count.saturating_mul(*stride)),
            _ => None,
        }
    }
}

struct Builder<'a> {
    module: &'a Module,
    known: HashMap<Handle<Type>, Option<Arc<Layout>>>,
}

impl Builder<'_> {
    fn layout(&mut self, ty: Handle<Type>) -> Option<Arc<Layout>> {
        if let Some(known) = self.known.get(&ty) {
            return known.clone();
        }
        let layout = self.shape(ty).map(|shape| {
            Arc::new(Layout {
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
        column: Arc::new(Layout {
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
pub fn element_type(scalar: Scalar) -> Option<ElementType> {
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
    pub(crate) fn layout(text: &str) -> Arc<Layout> {
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

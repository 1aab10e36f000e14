//! The types of a SPIR-V module, without memory layout.
//!
//! In: the type instructions of the module. Out: [`Type`] by id. A type refers only to types declared before it,
//! except that pointers may have forward references.

use rspirv::spirv::{Dim, ImageFormat, Op, StorageClass};

use super::id_table::IdTable;
use crate::error::{ReadError, Result};
use crate::maps::{HashMap, HashSet};
use crate::module::{Id, Instruction};

/// A type as the module declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Void,
    Bool,
    Int {
        bits: u32,
        is_signed: bool,
    },
    Float {
        bits: u32,
    },
    Vector {
        component: Id,
        count: u32,
    },
    Matrix {
        column: Id,
        columns: u32,
    },
    /// The length is the id of a constant or specialization constant.
    Array {
        element: Id,
        length: Id,
    },
    RuntimeArray {
        element: Id,
    },
    Struct {
        members: Vec<Id>,
    },
    Pointer {
        class: StorageClass,
        pointee: Id,
    },
    Function {
        result: Id,
        parameters: Vec<Id>,
    },
    Image(Image),
    Sampler,
    SampledImage {
        image: Id,
    },
}

/// The operands of an `OpTypeImage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// The type of a texel component; void if unknown.
    pub(crate) sampled: Id,
    pub(crate) dim: Dim,
    pub(crate) depth: Depth,
    pub(crate) is_arrayed: bool,
    pub(crate) is_multisampled: bool,
    pub(crate) usage: Usage,
    pub(crate) format: ImageFormat,
}

/// Whether an image is a depth image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    No,
    Yes,
    Unknown,
}

/// Whether an image is used with a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    Unknown,
    Sampled,
    Storage,
}

/// All types of a module.
#[derive(Debug, Default)]
pub(crate) struct Types {
    types: IdTable<Type>,
    /// Pointer types with an `OpTypeForwardPointer` that are not declared yet.
    later: HashSet<Id>,
    /// The nesting depth of structs and arrays, if it is more than 1.
    depths: HashMap<Id, u32>,
}

/// The maximum nesting depth of structs and arrays: the limit of SPIR-V for structs. Type traversals are recursive, so
/// a larger depth could overflow the stack.
const MAX_DEPTH: u32 = 255;

impl Types {
    /// Records the type that an instruction declares.
    pub(crate) fn declare(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let word = |at| instruction.word(at);
        let ty = match instruction.op {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt => match word(0)? {
                bits @ (8 | 16 | 32 | 64) => Type::Int {
                    bits,
                    is_signed: word(1)? != 0,
                },
                bits => return Err(instruction.unsupported(format!("integers of {bits} bits"))),
            },
            Op::TypeFloat => match word(0)? {
                bits @ (16 | 32 | 64) if instruction.optional(1).is_none() => Type::Float { bits },
                bits => {
                    let feature = format!("floats of {bits} bits in an encoding of their own");
                    return Err(instruction.unsupported(feature));
                }
            },
            Op::TypeVector => Type::Vector {
                component: self.known(instruction, 0)?,
                count: count(instruction, 1)?,
            },
            Op::TypeMatrix => Type::Matrix {
                column: self.known(instruction, 0)?,
                columns: count(instruction, 1)?,
            },
            Op::TypeArray => Type::Array {
                element: self.known(instruction, 0)?,
                length: instruction.id(1)?,
            },
            Op::TypeRuntimeArray => Type::RuntimeArray {
                element: self.known(instruction, 0)?,
            },
            Op::TypeStruct => {
                let members: Vec<Id> = instruction.ids(0).collect();
                let is_known = |id: &&Id| self.types.contains(**id) || self.later.contains(*id);
                if let Some(unknown) = members.iter().find(|id| !is_known(id)) {
                    return Err(instruction.invalid(format!("{unknown} is no type")));
                }
                Type::Struct { members }
            }
            Op::TypePointer => {
                let class = word(0)?;
                Type::Pointer {
                    class: StorageClass::from_u32(class).ok_or_else(|| {
                        instruction.invalid(format!("storage class {class} is unknown"))
                    })?,
                    pointee: instruction.id(1)?,
                }
            }
            Op::TypeForwardPointer => {
                self.later.insert(instruction.id(0)?);
                return Ok(());
            }
            Op::TypeFunction => Type::Function {
                result: self.known(instruction, 0)?,
                parameters: instruction.ids(1).collect(),
            },
            Op::TypeImage => Type::Image(self.image(instruction)?),
            Op::TypeSampler => Type::Sampler,
            Op::TypeSampledImage => Type::SampledImage {
                image: self.known(instruction, 0)?,
            },
            _ => return Err(instruction.unsupported("this kind of type")),
        };
        let id = instruction.result()?;
        if self.later.contains(&id) && !matches!(ty, Type::Pointer { .. }) {
            return Err(instruction.invalid(format!("{id} was to be a pointer")));
        }
        let parts: &[Id] = match &ty {
            Type::Array { element, .. } | Type::RuntimeArray { element } => &[*element],
            Type::Struct { members } => members,
            _ => &[],
        };
        let depths = parts.iter().map(|part| self.depths.get(part).unwrap_or(&0));
        let depth = depths.max().map_or(0, |depth| depth + 1);
        if depth > MAX_DEPTH {
            return Err(instruction.unsupported(format!("types {depth} deep inside each other")));
        }
        if depth > 0 {
            self.depths.insert(id, depth);
        }
        self.types.insert(id, ty);
        Ok(())
    }

    /// The type id in this operand, which must be declared before.
    fn known(&self, instruction: &Instruction<'_>, at: usize) -> Result<Id> {
        let id = instruction.id(at)?;
        if self.types.contains(id) {
            Ok(id)
        } else {
            Err(instruction.invalid(format!("{id} is no type")))
        }
    }

    fn image(&self, instruction: &Instruction<'_>) -> Result<Image> {
        let (dim, format) = (instruction.word(1)?, instruction.word(6)?);
        let unknown = |what: &str, value| instruction.invalid(format!("{what} {value} is unknown"));
        Ok(Image {
            sampled: self.known(instruction, 0)?,
            dim: Dim::from_u32(dim).ok_or_else(|| unknown("dimension", dim))?,
            depth: match instruction.word(2)? {
                0 => Depth::No,
                1 => Depth::Yes,
                _ => Depth::Unknown,
            },
            is_arrayed: instruction.word(3)? != 0,
            is_multisampled: instruction.word(4)? != 0,
            usage: match instruction.word(5)? {
                0 => Usage::Unknown,
                1 => Usage::Sampled,
                _ => Usage::Storage,
            },
            format: ImageFormat::from_u32(format).ok_or_else(|| unknown("format", format))?,
        })
    }

    /// The type with this id.
    #[inline]
    pub(crate) fn get(&self, id: Id) -> Result<&Type> {
        self.find(id)
            .ok_or_else(|| ReadError::invalid(format!("{id} is no type")))
    }

    /// The type with this id, if there is one.
    #[inline]
    pub(crate) fn find(&self, id: Id) -> Option<&Type> {
        self.types.get(id)
    }

    /// Whether a type is a scalar, or a vector or matrix.
    pub(crate) fn is_numbers(&self, id: Id) -> bool {
        let scalar = self.scalar(id).and_then(|scalar| self.get(scalar));
        matches!(
            scalar,
            Ok(Type::Bool | Type::Int { .. } | Type::Float { .. })
        )
    }

    /// Whether values of a type are never stored in a variable but resolved again at each use: pointers, images and
    /// samplers.
    pub(crate) fn is_found_again(&self, id: Id) -> bool {
        matches!(
            self.find(id),
            Some(Type::Pointer { .. } | Type::Image(_) | Type::Sampler | Type::SampledImage { .. })
        )
    }

    /// The storage class and the pointee type of a pointer type.
    pub(crate) fn pointee(&self, id: Id) -> Result<(StorageClass, Id)> {
        match *self.get(id)? {
            Type::Pointer { class, pointee } => Ok((class, pointee)),
            _ => Err(ReadError::invalid(format!("{id} is no pointer type"))),
        }
    }

    /// The scalar type of a scalar, vector or matrix; the type itself otherwise.
    pub(crate) fn scalar(&self, id: Id) -> Result<Id> {
        match *self.get(id)? {
            Type::Vector { component, .. } => Ok(component),
            Type::Matrix { column, .. } => self.scalar(column),
            _ => Ok(id),
        }
    }
}

/// The number of components of a vector, or of columns of a matrix.
fn count(instruction: &Instruction<'_>, at: usize) -> Result<u32> {
    match instruction.word(at)? {
        count @ 2..=4 => Ok(count),
        count => Err(instruction.unsupported(format!("{count} components"))),
    }
}

//! Writes types.
//!
//! In: a type of the module. Out: its WGSL spelling in the dialect, or an error that names what the dialect lacks.

use std::fmt::Write;

use anywarp_program::naga::common::wgsl::{ToWgsl, TryToWgsl};
use anywarp_program::naga::{
    AddressSpace, ArraySize, Handle, ImageClass, ImageDimension, Scalar, ScalarKind, StorageAccess,
    StorageFormat, Type, TypeInner, VectorSize,
};

use super::context::{Context, DeclarationName};
use super::extension::Extension;
use super::{Dialect, literal, printer::Printer};
use crate::WriteError;

type Result = std::result::Result<(), WriteError>;

impl Context<'_> {
    /// Appends the spelling of a type.
    pub(super) fn spell(
        &self,
        handle: Handle<Type>,
        place: DeclarationName<'_>,
        out: &mut String,
    ) -> Result {
        match self.names.types.get(handle.index()) {
            Some(Some(name)) => {
                out.push_str(name);
                Ok(())
            }
            _ => self.spell_inner(&self.module.types[handle].inner, place, out),
        }
    }

    /// Appends the spelling of a type that is not a structure.
    pub(super) fn spell_inner(
        &self,
        inner: &TypeInner,
        place: DeclarationName<'_>,
        out: &mut String,
    ) -> Result {
        // Writing into a string cannot fail.
        match *inner {
            TypeInner::Scalar(scalar) => self.spell_scalar(scalar, place, out)?,
            TypeInner::Vector { size, scalar } => {
                out.push_str(match size {
                    VectorSize::Bi => "vec2<",
                    VectorSize::Tri => "vec3<",
                    VectorSize::Quad => "vec4<",
                });
                self.spell_scalar(scalar, place, out)?;
                out.push('>');
            }
            TypeInner::Matrix {
                columns,
                rows,
                scalar,
            } => {
                if scalar == Scalar::F64 && self.dialect == Dialect::WebGpu {
                    return Err(self.unsupported("64-bit floats", place));
                }
                let _ = write!(out, "mat{}x{}<", columns as u8, rows as u8);
                self.spell_scalar(scalar, place, out)?;
                out.push('>');
            }
            TypeInner::Atomic(scalar) => {
                if scalar.kind == ScalarKind::Float {
                    self.naga_only("atomic floats", place)?;
                }
                out.push_str("atomic<");
                self.spell_scalar(scalar, place, out)?;
                out.push('>');
            }
            TypeInner::Pointer { base, space } => {
                let (space, access) = self.spell_space(space, place)?;
                let _ = write!(out, "ptr<{space}, ");
                self.spell(base, place, out)?;
                push_access(access, out);
            }
            TypeInner::ValuePointer {
                size,
                scalar,
                space,
            } => {
                let (space, access) = self.spell_space(space, place)?;
                let _ = write!(out, "ptr<{space}, ");
                let target = match size {
                    Some(size) => TypeInner::Vector { size, scalar },
                    None => TypeInner::Scalar(scalar),
                };
                self.spell_inner(&target, place, out)?;
                push_access(access, out);
            }
            TypeInner::Array { base, size, stride } => {
                out.push_str("array<");
                match self.names.wrappers.get(&(base, stride)) {
                    Some((name, _)) => out.push_str(name),
                    None => self.spell(base, place, out)?,
                }
                self.spell_count(size, place, out)?;
                out.push('>');
            }
            TypeInner::BindingArray { base, size } => {
                self.naga_only("arrays of bindings", place)?;
                self.enable(Extension::BindingArray);
                out.push_str("binding_array<");
                self.spell(base, place, out)?;
                self.spell_count(size, place, out)?;
                out.push('>');
            }
            TypeInner::Image {
                dim,
                arrayed,
                class,
            } => {
                self.spell_image(dim, arrayed, class, place, out)?;
            }
            TypeInner::Sampler { comparison: false } => out.push_str("sampler"),
            TypeInner::Sampler { comparison: true } => out.push_str("sampler_comparison"),
            TypeInner::AccelerationStructure { vertex_return } => {
                self.naga_only("acceleration structures", place)?;
                self.enable(Extension::RayQuery);
                out.push_str("acceleration_structure");
                if vertex_return {
                    self.enable(Extension::RayQueryVertexReturn);
                    out.push_str("<vertex_return>");
                }
            }
            TypeInner::RayQuery { vertex_return } => {
                self.naga_only("ray queries", place)?;
                self.enable(Extension::RayQuery);
                out.push_str("ray_query");
                if vertex_return {
                    self.enable(Extension::RayQueryVertexReturn);
                    out.push_str("<vertex_return>");
                }
            }
            TypeInner::CooperativeMatrix {
                columns,
                rows,
                scalar,
                role,
            } => {
                self.naga_only("cooperative matrices", place)?;
                self.enable(Extension::CooperativeMatrix);
                let _ = write!(out, "coop_mat{}x{}<", columns as u32, rows as u32);
                self.spell_scalar(scalar, place, out)?;
                let _ = write!(out, ", {}>", role.to_wgsl());
            }
            // All structures have names, except for results of builtin functions.
            TypeInner::Struct { .. } => {
                return Err(self.unsupported("a variable of a builtin function's result", place));
            }
        }
        Ok(())
    }

    /// Appends the spelling of a scalar type.
    pub(super) fn spell_scalar(
        &self,
        scalar: Scalar,
        place: DeclarationName<'_>,
        out: &mut String,
    ) -> Result {
        // The common cases first.
        let name = match scalar {
            Scalar::F32 => Some("f32"),
            Scalar::U32 => Some("u32"),
            Scalar::I32 => Some("i32"),
            Scalar::BOOL => Some("bool"),
            _ => None,
        };
        if let Some(name) = name {
            out.push_str(name);
            return Ok(());
        }
        let name = scalar
            .try_to_wgsl()
            .ok_or_else(|| self.unsupported("a number of unknown width", place))?;
        if !matches!(name, "bool" | "i32" | "u32" | "f32" | "f16") {
            self.naga_only(&format!("the type `{name}`"), place)?;
        }
        match name {
            "f16" => self.enable(Extension::F16),
            "i16" | "u16" => self.enable(Extension::Int16),
            _ => {}
        }
        out.push_str(name);
        Ok(())
    }

    fn spell_count(&self, size: ArraySize, place: DeclarationName<'_>, out: &mut String) -> Result {
        match size {
            ArraySize::Constant(count) => {
                out.push_str(", ");
                literal::push_u32(count.get(), out);
            }
            ArraySize::Pending(handle) => {
                out.push_str(", ");
                let mut printer = Printer::of_module(self, place, std::mem::take(out));
                let written = printer.override_in_list(handle);
                *out = printer.finish();
                written?;
            }
            ArraySize::Dynamic => {}
        }
        Ok(())
    }

    /// Appends address space and access mode; the mode is omitted if it is the only one.
    pub(super) fn spell_space(
        &self,
        space: AddressSpace,
        place: DeclarationName<'_>,
    ) -> std::result::Result<(&'static str, Option<&'static str>), WriteError> {
        Ok(match space {
            AddressSpace::Function => ("function", None),
            AddressSpace::Private => ("private", None),
            AddressSpace::WorkGroup => ("workgroup", None),
            AddressSpace::Uniform => ("uniform", None),
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                ("storage", Some("read_write"))
            }
            AddressSpace::Storage { .. } => ("storage", Some("read")),
            AddressSpace::Immediate => ("immediate", None),
            AddressSpace::TaskPayload => {
                self.naga_only("task payloads", place)?;
                ("task_payload", None)
            }
            AddressSpace::RayPayload => {
                self.naga_only("ray payloads", place)?;
                ("ray_payload", None)
            }
            AddressSpace::IncomingRayPayload => {
                self.naga_only("ray payloads", place)?;
                ("incoming_ray_payload", None)
            }
            AddressSpace::Handle => return Err(self.unsupported("a pointer to a resource", place)),
        })
    }

    fn spell_image(
        &self,
        dim: ImageDimension,
        arrayed: bool,
        class: ImageClass,
        place: DeclarationName<'_>,
        out: &mut String,
    ) -> Result {
        let dimension = dim.to_wgsl();
        let array = if arrayed { "_array" } else { "" };
        if arrayed && matches!(dim, ImageDimension::D1 | ImageDimension::D3) {
            return Err(self.unsupported(&format!("an array of {dimension} textures"), place));
        }
        let _ = match class {
            ImageClass::Sampled { kind, multi } => {
                if multi && (arrayed || dim != ImageDimension::D2) {
                    return Err(self.unsupported("an array of multisampled textures", place));
                }
                let multi = if multi { "multisampled_" } else { "" };
                let _ = write!(out, "texture_{multi}{dimension}{array}<");
                self.spell_scalar(Scalar { kind, width: 4 }, place, out)?;
                write!(out, ">")
            }
            ImageClass::Depth { multi } => {
                if dim == ImageDimension::D1 || dim == ImageDimension::D3 {
                    return Err(self.unsupported(&format!("a {dimension} depth texture"), place));
                }
                if multi && (arrayed || dim != ImageDimension::D2) {
                    let what = "an array of multisampled depth textures";
                    return Err(self.unsupported(what, place));
                }
                let multi = if multi { "multisampled_" } else { "" };
                write!(out, "texture_depth_{multi}{dimension}{array}")
            }
            ImageClass::Storage { format, access } => {
                if dim == ImageDimension::Cube {
                    return Err(self.unsupported("a storage texture of cubes", place));
                }
                if format == StorageFormat::R64Uint {
                    self.naga_only("the texel format `r64uint`", place)?;
                }
                let access = if access.contains(StorageAccess::ATOMIC) {
                    self.naga_only("atomic operations on textures", place)?;
                    "atomic"
                } else if access.contains(StorageAccess::LOAD | StorageAccess::STORE) {
                    "read_write"
                } else if access.contains(StorageAccess::STORE) {
                    "write"
                } else {
                    "read"
                };
                let format = format.to_wgsl();
                write!(
                    out,
                    "texture_storage_{dimension}{array}<{format}, {access}>"
                )
            }
            ImageClass::External => write!(out, "texture_external"),
        };
        Ok(())
    }
}

fn push_access(access: Option<&str>, out: &mut String) {
    if let Some(access) = access {
        out.push_str(", ");
        out.push_str(access);
    }
    out.push('>');
}

//! Module-scope variables: buffers, push constants, workgroup and private variables.
//!
//! In: an `OpVariable` of the module. Out: a naga global variable with its address space, type, binding and
//! initializer, and the [`Pointer`] for its id. Images and samplers are in `images`, variables that share memory in
//! `aliased_variables.rs`. Inputs and outputs become private variables. An initializer that is not a WGSL constant
//! expression is assigned in the entry point.

use std::rc::Rc;

use anywarp_program::naga::{
    self, AddressSpace, ArraySize, Handle, ResourceBinding, StorageAccess, TypeInner,
};
use rspirv::spirv::{Decoration, StorageClass};

use super::function::{Opaque, Pointer, Root, holds_values};
use super::layout::{self, AtomicPaths, ELEMENT};
use super::types::Type;
use super::word_buffers::{MAX_IMMEDIATE_BYTES, WordRepresentation};
use super::{Reader, Variable};
use crate::bindings::BindingPoint;
use crate::error::{ReadError, Result};
use crate::maps::HashMap;
use crate::module::{Id, Instruction};

impl Reader<'_> {
    pub(super) fn variable(
        &mut self,
        instruction: &Instruction<'_>,
        atomics: &HashMap<Id, AtomicPaths>,
    ) -> Result<()> {
        let id = instruction.result()?;
        let (class, pointee) = self.types.pointee(instruction.result_type()?)?;
        let atomics = atomics.get(&id).cloned().unwrap_or_default();
        let space = self.variable_space(instruction, class, pointee)?;
        let is_bound = matches!(space, AddressSpace::Uniform | AddressSpace::Storage { .. });
        if space == AddressSpace::Immediate && self.is_used(id) {
            self.check_immediate_size(instruction, pointee)?;
        }
        let mut words = None;
        let mut is_unwrapped = false;
        let ty = match (is_bound, self.types.get(pointee)?) {
            (true, Type::Array { .. } | Type::RuntimeArray { .. }) => {
                let (made, kind) = self.array_of_buffers(space, pointee, &atomics)?;
                words = kind;
                made
            }
            _ => match self.words_of(space, pointee, &atomics)? {
                Some((kind, ty)) => {
                    words = Some(kind);
                    ty
                }
                None if holds_values(class, &atomics) => self.value_type(pointee)?,
                None if self.facts.wrapped.contains(&id) => {
                    is_unwrapped = true;
                    self.wrapped_type(pointee, &atomics)?
                }
                None => self.memory_type(pointee, None, &atomics)?,
            },
        };
        let binding = if is_bound {
            Some(self.buffer_binding(instruction, id)?)
        } else {
            None
        };
        let mut late = None;
        let init = match instruction.optional(1) {
            None => None,
            // Workgroup variables are zero-initialized in WGSL, which is the only initial value that SPIR-V allows.
            Some(_) if class == StorageClass::Workgroup => None,
            Some(init) => {
                let known = self.constant_expression(Id(init))?;
                late = known.is_none().then_some(Id(init));
                known
            }
        };
        let variable = naga::GlobalVariable {
            name: self
                .spirv
                .names
                .of(id)
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
            space,
            binding,
            ty,
            init,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let handle = self.module.global_variables.append(variable, self.span);
        self.buffers
            .words
            .extend(words.map(|words| (handle, words)));
        if is_unwrapped {
            self.buffers.unwrapped.insert(handle);
        }
        self.interface
            .late_values
            .extend(late.map(|value| (handle, value)));
        self.add_variable(id, handle, pointee, class, atomics);
        Ok(())
    }

    /// The address space of a variable of a storage class.
    fn variable_space(
        &self,
        instruction: &Instruction<'_>,
        class: StorageClass,
        pointee: Id,
    ) -> Result<AddressSpace> {
        let id = instruction.result()?;
        Ok(match class {
            StorageClass::Uniform if self.is_buffer_block(pointee) => self.storage(id, pointee),
            StorageClass::Uniform => AddressSpace::Uniform,
            StorageClass::StorageBuffer => self.storage(id, pointee),
            StorageClass::PushConstant => AddressSpace::Immediate,
            StorageClass::Workgroup => AddressSpace::WorkGroup,
            StorageClass::Private | StorageClass::Input | StorageClass::Output => {
                AddressSpace::Private
            }
            class => {
                return Err(instruction.unsupported(format!("variables of class {class:?}")));
            }
        })
    }

    /// Records the naga variable for the variable with this id.
    pub(super) fn add_variable(
        &mut self,
        id: Id,
        handle: Handle<naga::GlobalVariable>,
        ty: Id,
        class: StorageClass,
        atomics: AtomicPaths,
    ) {
        let pointer = Rc::new(Pointer {
            root: Root::Global(handle),
            ty,
            atomics,
            steps: Default::default(),
            class,
        });
        self.variables.insert(id, Variable { pointer, handle });
    }

    /// Rejects push constants larger than naga can track.
    fn check_immediate_size(&self, instruction: &Instruction<'_>, ty: Id) -> Result<()> {
        match self.size(ty, None)? {
            Some(size) if size > MAX_IMMEDIATE_BYTES => Err(instruction.unsupported(format!(
                "push constants of {size} bytes; naga's immediate data end at {MAX_IMMEDIATE_BYTES}"
            ))),
            _ => Ok(()),
        }
    }

    /// The memory type of the only member of a struct.
    fn wrapped_type(&mut self, ty: Id, atomics: &AtomicPaths) -> Result<Handle<naga::Type>> {
        let Type::Struct { members } = self.types.get(ty)? else {
            return Err(ReadError::invalid(format!("{ty} is not a structure")));
        };
        let member = members[0];
        let lie = self.layouts.members(self.spirv, ty, 1);
        let matrix = lie.matrices[0];
        self.memory_type(member, matrix, &layout::below(atomics, 0))
    }

    /// Before SPIR-V 1.3, a storage buffer was a `Uniform` variable with this decoration.
    pub(super) fn is_buffer_block(&self, ty: Id) -> bool {
        let inner = match self.types.get(ty) {
            Ok(Type::Array { element, .. } | Type::RuntimeArray { element }) => *element,
            _ => ty,
        };
        self.spirv.decorations.has(inner, Decoration::BufferBlock)
    }

    /// The binding array for an array of buffers: each element is a buffer of its own.
    fn array_of_buffers(
        &mut self,
        space: AddressSpace,
        ty: Id,
        atomics: &AtomicPaths,
    ) -> Result<(Handle<naga::Type>, Option<WordRepresentation>)> {
        let (element, size) = match *self.types.get(ty)? {
            Type::Array { element, length } => (element, self.layouts.length(length)?),
            Type::RuntimeArray { element } => (element, ArraySize::Dynamic),
            _ => return Err(ReadError::invalid(format!("{ty} is no array"))),
        };
        if !matches!(self.types.get(element)?, Type::Struct { .. }) {
            return Err(ReadError::unsupported("arrays of arrays of buffers"));
        }
        let atomics = layout::below(atomics, ELEMENT);
        let (base, words) = match self.words_of(space, element, &atomics)? {
            Some((words, ty)) => (self.struct_of(ty), Some(words)),
            None => (self.memory_type(element, None, &atomics)?, None),
        };
        let made = self.insert_type(TypeInner::BindingArray { base, size });
        Ok((made, words))
    }

    /// A struct around a type: the elements of naga's binding arrays of buffers must be structs.
    pub(super) fn struct_of(&mut self, ty: Handle<naga::Type>) -> Handle<naga::Type> {
        let span = match self.module.types[ty].inner {
            TypeInner::Array {
                size: ArraySize::Constant(length),
                stride,
                ..
            } => length.get().saturating_mul(stride),
            TypeInner::Array { stride, .. } => stride,
            _ => 4,
        };
        let members = vec![naga::StructMember {
            name: Some("words".to_owned()),
            ty,
            binding: None,
            offset: 0,
        }];
        self.insert_type(TypeInner::Struct { members, span })
    }

    pub(super) fn storage(&self, id: Id, ty: Id) -> AddressSpace {
        let ty = match self.types.get(ty) {
            Ok(Type::Array { element, .. } | Type::RuntimeArray { element }) => *element,
            _ => ty,
        };
        let decorations = &self.spirv.decorations;
        let members = match self.types.get(ty) {
            Ok(Type::Struct { members }) => members.len() as u32,
            _ => 0,
        };
        let is_member_readable = |kind| {
            members > 0 && (0..members).all(|member| decorations.member_has(ty, member, kind))
        };
        let has = |kind| decorations.has(id, kind) || is_member_readable(kind);
        // WGSL has no write-only buffers.
        let access = if has(Decoration::NonWritable) {
            StorageAccess::LOAD
        } else {
            StorageAccess::LOAD | StorageAccess::STORE
        };
        AddressSpace::Storage { access }
    }

    /// The binding of a buffer, after the caller's binding map.
    pub(super) fn buffer_binding(
        &self,
        instruction: &Instruction<'_>,
        id: Id,
    ) -> Result<ResourceBinding> {
        let binding = self.binding(instruction, id)?;
        let split = self.options.bindings.get(binding.group, binding.binding);
        Ok(match split.and_then(|split| split.buffer) {
            Some(BindingPoint { group, binding }) => ResourceBinding { group, binding },
            None => binding,
        })
    }

    pub(super) fn binding(&self, instruction: &Instruction<'_>, id: Id) -> Result<ResourceBinding> {
        let value = |kind| self.spirv.decorations.value(id, kind);
        let binding = value(Decoration::Binding)
            .ok_or_else(|| instruction.invalid("it is a resource and has no Binding"))?;
        Ok(ResourceBinding {
            group: value(Decoration::DescriptorSet).unwrap_or(0),
            binding,
        })
    }

    /// The image and the sampler of a combined image-sampler variable.
    pub(crate) fn split_pointer(&self, pointer: &Pointer) -> Opaque {
        let mut sampler = pointer.clone();
        // If it is an argument, the sampler is the argument after the image.
        if let Root::Argument(index) = &mut sampler.root {
            *index += 1;
        }
        Opaque {
            image: Some(pointer.clone()),
            sampler: Some(sampler),
        }
    }
}

/// The address space of a pointer parameter.
pub(super) fn space_of_parameter(
    parameter: &Instruction<'_>,
    class: StorageClass,
) -> Result<AddressSpace> {
    match class {
        StorageClass::Function => Ok(AddressSpace::Function),
        StorageClass::Private | StorageClass::Input | StorageClass::Output => {
            Ok(AddressSpace::Private)
        }
        class => Err(parameter.unsupported(format!("pointers to {class:?} as parameters"))),
    }
}

//! Variables of the module.

use std::rc::Rc;

use anywarp_program::naga::{
    self, AddressSpace, ArraySize, Handle, ResourceBinding, StorageAccess, TypeInner,
};
use rspirv::spirv::{Decoration, Op, StorageClass};

use super::function::{Opaque, Pointer, Root, holds_values};
use super::layout::{self, Atomics, ELEMENT};
use super::raw::{MAX_IMMEDIATE_BYTES, Words};
use super::types::Type;
use super::{Reader, Variable};
use crate::bindings::Place;
use crate::error::{ReadError, Result};
use crate::maps::{HashMap, HashSet};
use crate::module::{Id, Instruction, Module};

impl Reader<'_> {
    pub(super) fn variable(
        &mut self,
        instruction: &Instruction<'_>,
        atomics: &HashMap<Id, Atomics>,
    ) -> Result<()> {
        let id = instruction.result()?;
        let (class, pointee) = self.types.pointee(instruction.result_type()?)?;
        let atomics = atomics.get(&id).cloned().unwrap_or_default();
        let space = match class {
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
        };
        if class == StorageClass::Workgroup && self.shares_workgroup(id, pointee)? {
            return Err(instruction.unsupported("workgroup variables that share their memory"));
        }
        let is_bound = matches!(space, AddressSpace::Uniform | AddressSpace::Storage { .. });
        if is_bound && let Some(shared) = self.aliased(instruction, space, pointee, &atomics)? {
            let pointer = Pointer {
                root: Root::Global(shared),
                ty: pointee,
                atomics,
                steps: Default::default(),
                class,
            };
            let handle = shared;
            self.variables.insert(
                id,
                Variable {
                    pointer: Rc::new(pointer),
                    handle,
                },
            );
            return Ok(());
        }
        if space == AddressSpace::Immediate && self.is_used(id) {
            self.check_immediate_size(instruction, pointee)?;
        }
        let mut words = None;
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
                None => self.memory_type(pointee, None, &atomics)?,
            },
        };
        let binding = match is_bound {
            true => Some(self.buffer_binding(instruction, id)?),
            false => None,
        };
        let mut late = None;
        let init = match instruction.optional(1) {
            None => None,
            // WGSL's are zero anyway, which is all that SPIR-V lets them be.
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
        self.words.extend(words.map(|words| (handle, words)));
        self.late_values.extend(late.map(|value| (handle, value)));
        let pointer = Pointer {
            root: Root::Global(handle),
            ty: pointee,
            atomics,
            steps: Default::default(),
            class,
        };
        self.variables.insert(
            id,
            Variable {
                pointer: Rc::new(pointer),
                handle,
            },
        );
        Ok(())
    }

    /// The variable of buffers that share a binding, of which naga wants one. They may look at it as
    /// different types, so it is words.
    fn aliased(
        &mut self,
        instruction: &Instruction<'_>,
        space: AddressSpace,
        ty: Id,
        atomics: &Atomics,
    ) -> Result<Option<Handle<naga::GlobalVariable>>> {
        let id = instruction.result()?;
        if !self.sharing.contains(&id) || !matches!(self.types.get(ty)?, Type::Struct { .. }) {
            return Ok(None);
        }
        let binding = self.buffer_binding(instruction, id)?;
        // One may write what the other only reads.
        let space = match space {
            AddressSpace::Storage { .. } => AddressSpace::Storage {
                access: StorageAccess::LOAD | StorageAccess::STORE,
            },
            space => space,
        };
        let (words, made) = self.as_words(space, ty, atomics, true)?;
        let shared = self.shared.get(&(binding.group, binding.binding)).copied();
        let is_alike = |it: &Handle<_>| self.module.global_variables[*it].space == space;
        let Some(handle) = shared.filter(is_alike) else {
            let variable = naga::GlobalVariable {
                name: self.spirv.names.of(id).map(str::to_owned),
                space,
                binding: Some(binding),
                ty: made,
                init: None,
                memory_decorations: naga::MemoryDecorations::empty(),
            };
            let variables = &mut self.module.global_variables;
            let handle = variables.append(variable, self.span);
            self.words.insert(handle, words);
            self.shared.insert((binding.group, binding.binding), handle);
            return Ok(Some(handle));
        };
        // The longer.
        let size = |ty: Handle<naga::Type>| match self.module.types[ty].inner {
            TypeInner::Array {
                size: ArraySize::Constant(length),
                ..
            } => length.get(),
            _ => 0,
        };
        let known = self.module.global_variables[handle].ty;
        if size(made) > size(known) {
            self.module.global_variables[handle].ty = made;
        }
        Ok(Some(handle))
    }

    /// Whether a variable is one of several blocks of a workgroup, which all lie at its begin.
    fn shares_workgroup(&self, id: Id, ty: Id) -> Result<bool> {
        let decorations = &self.spirv.decorations;
        if !decorations.has(ty, Decoration::Block) {
            return Ok(false);
        }
        let others = self.spirv.globals.iter().filter(|it| it.op == Op::Variable);
        for other in others.filter(|it| it.result != Some(id)) {
            let pointer = self.spirv.definition(other.result_type()?)?;
            let is_workgroup = pointer.word(0)? == StorageClass::Workgroup as u32;
            if is_workgroup && decorations.has(pointer.id(1)?, Decoration::Block) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses push constants of more bytes than naga can count.
    fn check_immediate_size(&self, instruction: &Instruction<'_>, ty: Id) -> Result<()> {
        match self.size(ty, None)? {
            Some(size) if size > MAX_IMMEDIATE_BYTES => Err(instruction.unsupported(format!(
                "push constants of {size} bytes; naga's immediate data end at {MAX_IMMEDIATE_BYTES}"
            ))),
            _ => Ok(()),
        }
    }

    /// Before SPIR-V 1.3 storage buffers were uniforms with this decoration.
    fn is_buffer_block(&self, ty: Id) -> bool {
        let inner = match self.types.get(ty) {
            Ok(Type::Array { element, .. } | Type::RuntimeArray { element }) => *element,
            _ => ty,
        };
        self.spirv.decorations.has(inner, Decoration::BufferBlock)
    }

    /// Each element is a buffer of its own.
    fn array_of_buffers(
        &mut self,
        space: AddressSpace,
        ty: Id,
        atomics: &Atomics,
    ) -> Result<(Handle<naga::Type>, Option<Words>)> {
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

    /// naga's arrays of buffers want structs in them.
    fn struct_of(&mut self, ty: Handle<naga::Type>) -> Handle<naga::Type> {
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

    fn storage(&self, id: Id, ty: Id) -> AddressSpace {
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
        // WGSL has no buffers that are only written.
        let access = match has(Decoration::NonWritable) {
            true => StorageAccess::LOAD,
            false => StorageAccess::LOAD | StorageAccess::STORE,
        };
        AddressSpace::Storage { access }
    }

    /// The binding, or where the caller wants it.
    fn buffer_binding(&self, instruction: &Instruction<'_>, id: Id) -> Result<ResourceBinding> {
        let binding = self.binding(instruction, id)?;
        let split = self.options.bindings.get(binding.group, binding.binding);
        Ok(match split.and_then(|split| split.buffer) {
            Some(Place { group, binding }) => ResourceBinding { group, binding },
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

    /// The image and the sampler that a combined variable became.
    pub(crate) fn split_pointer(&self, pointer: &Pointer) -> Opaque {
        let mut sampler = pointer.clone();
        // Of an argument that is both, the sampler lies behind the image.
        if let Root::Argument(index) = &mut sampler.root {
            *index += 1;
        }
        Opaque {
            image: Some(pointer.clone()),
            sampler: Some(sampler),
        }
    }
}

/// Where what a pointer parameter points to lies.
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

/// The buffers that share their binding with another that the same entry point uses.
pub(super) fn sharing(spirv: &Module<'_>) -> Result<HashSet<Id>> {
    let mut bound: HashMap<(u32, u32), Vec<Id>> = HashMap::default();
    for it in spirv.globals.iter().filter(|it| it.op == Op::Variable) {
        let class = StorageClass::from_u32(it.word(0)?);
        if !matches!(
            class,
            Some(StorageClass::Uniform | StorageClass::StorageBuffer)
        ) {
            continue;
        }
        let id = it.result()?;
        let value = |kind| spirv.decorations.value(id, kind);
        if let Some(binding) = value(Decoration::Binding) {
            let group = value(Decoration::DescriptorSet).unwrap_or(0);
            bound.entry((group, binding)).or_default().push(id);
        }
    }
    bound.retain(|_, variables| variables.len() > 1);
    if bound.is_empty() {
        return Ok(HashSet::default());
    }
    let functions: HashMap<Id, _> = spirv.functions.iter().map(|it| (it.id, it)).collect();
    let mut sharing = HashSet::default();
    for entry_point in &spirv.entry_points {
        let mut used = HashSet::default();
        let mut seen = HashSet::from_iter([entry_point.function]);
        let mut open = vec![entry_point.function];
        while let Some(function) = open.pop() {
            let Some(function) = functions.get(&function) else {
                continue;
            };
            for block in &function.blocks {
                for it in block.inside() {
                    used.extend(it.used());
                    if it.op == Op::FunctionCall && seen.insert(it.id(0)?) {
                        open.push(it.id(0)?);
                    }
                }
            }
        }
        for variables in bound.values() {
            let shared: Vec<Id> = variables
                .iter()
                .copied()
                .filter(|it| used.contains(it))
                .collect();
            if shared.len() > 1 {
                sharing.extend(shared);
            }
        }
    }
    Ok(sharing)
}

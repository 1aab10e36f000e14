//! Variables that alias the same memory.
//!
//! In: the variables that one entry point uses at one binding, and workgroup blocks, which all begin at offset 0 of
//! the workgroup memory. Out: a single naga variable for each such group, since naga accepts only one. The variables
//! view the same memory as different types, so it is an array of words, and `function/word_access.rs` computes
//! addresses in it. Images and samplers that share a binding are found here too; `images/split_resources.rs` declares them.
//!
//! The words are atomic if the memory is written and any of the variables has atomics or 8- or 16-bit parts. The
//! memory has the size of the largest variable, and is read-only if none of them is written.

use anywarp_program::naga::{self, AddressSpace, ArraySize, StorageAccess, TypeInner};
use rspirv::spirv::{Decoration, Op, StorageClass};

use super::Reader;
use super::layout::AtomicPaths;
use super::types::Type;
use crate::error::Result;
use crate::maps::{HashMap, HashSet};
use crate::module::{Id, Instruction, Module};

/// The memory that variables share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum AliasedMemory {
    Binding {
        group: u32,
        binding: u32,
        is_uniform: bool,
        /// The array length, if this is an array of buffers.
        length: Option<ArraySize>,
    },
    Workgroup,
}

/// One of the variables that share memory.
struct AliasedVariable<'a> {
    instruction: Instruction<'a>,
    id: Id,
    /// The type of the variable.
    ty: Id,
    /// The type of one buffer.
    block: Id,
    class: StorageClass,
    space: AddressSpace,
    atomics: AtomicPaths,
}

impl<'a> Reader<'a> {
    /// Declares the buffers and workgroup blocks that share memory. All types are known by now.
    pub(super) fn declare_aliased(
        &mut self,
        variables: &[Instruction<'a>],
        atomics: &HashMap<Id, AtomicPaths>,
    ) -> Result<()> {
        let mut groups: Vec<(AliasedMemory, Vec<AliasedVariable<'a>>)> = Vec::new();
        for instruction in variables {
            let found = self
                .aliased_variable(instruction, atomics)
                .map_err(|error| {
                    let line = self.spirv.line(instruction.offset);
                    error
                        .at(instruction.offset, Some(instruction.op))
                        .of_line(line)
                })?;
            let (memory, variable) = found;
            match groups.iter_mut().find(|(known, _)| *known == memory) {
                Some((_, variables)) => variables.push(variable),
                None => groups.push((memory, vec![variable])),
            }
        }
        for (memory, variables) in groups {
            let first = variables[0].instruction;
            // It shares the binding only with a buffer of another kind. naga rejects both at one binding, so it is
            // declared by itself.
            let made = if variables.len() == 1 {
                self.variable(&first, atomics)
            } else {
                self.declare_shared(memory, variables)
            };
            made.map_err(|error| {
                let line = self.spirv.line(first.offset);
                error.at(first.offset, Some(first.op)).of_line(line)
            })?;
        }
        Ok(())
    }

    fn aliased_variable(
        &self,
        instruction: &Instruction<'a>,
        atomics: &HashMap<Id, AtomicPaths>,
    ) -> Result<(AliasedMemory, AliasedVariable<'a>)> {
        let id = instruction.result()?;
        let (class, ty) = self.types.pointee(instruction.result_type()?)?;
        let (block, length) = match *self.types.get(ty)? {
            Type::Array { element, length } => (element, Some(self.layouts.length(length)?)),
            Type::RuntimeArray { element } => (element, Some(ArraySize::Dynamic)),
            _ => (ty, None),
        };
        let space = match class {
            StorageClass::Workgroup => AddressSpace::WorkGroup,
            StorageClass::Uniform if !self.is_buffer_block(ty) => AddressSpace::Uniform,
            _ => self.storage(id, ty),
        };
        let memory = match space {
            AddressSpace::WorkGroup => AliasedMemory::Workgroup,
            _ => {
                let place = self.buffer_binding(instruction, id)?;
                AliasedMemory::Binding {
                    group: place.group,
                    binding: place.binding,
                    is_uniform: space == AddressSpace::Uniform,
                    length,
                }
            }
        };
        let own = atomics.get(&id).cloned().unwrap_or_default();
        let variable = AliasedVariable {
            instruction: *instruction,
            id,
            ty,
            block,
            class,
            space,
            atomics: own,
        };
        Ok((memory, variable))
    }

    /// Declares one variable for all variables of a group.
    fn declare_shared(
        &mut self,
        memory: AliasedMemory,
        variables: Vec<AliasedVariable<'a>>,
    ) -> Result<()> {
        let mut longest = variables[0].block;
        let mut access = StorageAccess::LOAD;
        let mut is_atomic = false;
        for variable in &variables {
            if self.size(variable.block, None)? > self.size(longest, None)? {
                longest = variable.block;
            }
            if let AddressSpace::Storage { access: own } = variable.space {
                access |= own;
            }
            is_atomic |= !variable.atomics.is_empty() || self.is_narrow(variable.block)?;
        }
        let space = match variables[0].space {
            AddressSpace::Storage { .. } => AddressSpace::Storage { access },
            space => space,
        };
        let (words, mut ty) = self.as_words(space, longest, &AtomicPaths::new(), is_atomic)?;
        let mut binding = None;
        if let AliasedMemory::Binding { length, .. } = memory {
            binding = Some(self.buffer_binding(&variables[0].instruction, variables[0].id)?);
            if let Some(size) = length {
                let base = self.struct_of(ty);
                ty = self.insert_type(TypeInner::BindingArray { base, size });
            }
        }
        let names = |variable: &AliasedVariable<'_>| {
            self.spirv
                .names
                .of(variable.id)
                .filter(|name| !name.is_empty())
        };
        let variable = naga::GlobalVariable {
            name: variables.iter().find_map(names).map(str::to_owned),
            space,
            binding,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let handle = self.module.global_variables.append(variable, self.span);
        self.buffers.words.insert(handle, words);
        for variable in variables {
            self.add_variable(
                variable.id,
                handle,
                variable.ty,
                variable.class,
                variable.atomics,
            );
        }
        Ok(())
    }
}

/// Whether it is an image or sampler, which do not alias buffers; then the group and binding, or `None` for
/// workgroup memory.
type MemoryKey = (bool, Option<(u32, u32)>);

/// The variables that share a binding or the workgroup memory with another variable of the same entry point.
pub(super) fn find(spirv: &Module<'_>) -> Result<HashSet<Id>> {
    let mut at: HashMap<MemoryKey, Vec<Id>> = HashMap::default();
    for instruction in spirv
        .globals
        .iter()
        .filter(|global| global.op == Op::Variable)
    {
        let id = instruction.result()?;
        let value = |kind| spirv.decorations.value(id, kind);
        let class = StorageClass::from_u32(instruction.word(0)?);
        let place = match class {
            Some(
                StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant,
            ) => value(Decoration::Binding)
                .map(|binding| Some((value(Decoration::DescriptorSet).unwrap_or(0), binding))),
            Some(StorageClass::Workgroup) => {
                let block = spirv.definition(instruction.result_type()?)?.id(1)?;
                spirv
                    .decorations
                    .has(block, Decoration::Block)
                    .then_some(None)
            }
            _ => None,
        };
        if let Some(place) = place {
            let is_opaque = class == Some(StorageClass::UniformConstant);
            at.entry((is_opaque, place)).or_default().push(id);
        }
    }
    at.retain(|_, variables| variables.len() > 1);
    let mut sharing = HashSet::default();
    if at.is_empty() {
        return Ok(sharing);
    }
    for entry_point in &spirv.entry_points {
        let used = used_by(spirv, entry_point.function)?;
        for variables in at.values() {
            let together = variables.iter().filter(|variable| used.contains(*variable));
            if together.clone().count() > 1 {
                sharing.extend(together);
            }
        }
    }
    Ok(sharing)
}

/// All ids used in a function and its transitive callees.
fn used_by(spirv: &Module<'_>, function: Id) -> Result<HashSet<Id>> {
    let functions: HashMap<Id, _> = spirv
        .functions
        .iter()
        .map(|function| (function.id, function))
        .collect();
    let mut used = HashSet::default();
    let mut seen = HashSet::from_iter([function]);
    let mut open = vec![function];
    while let Some(function) = open.pop() {
        let Some(function) = functions.get(&function) else {
            continue;
        };
        for instruction in function.blocks.iter().flat_map(|block| block.inside()) {
            used.extend(instruction.used());
            if instruction.op == Op::FunctionCall && seen.insert(instruction.id(0)?) {
                open.push(instruction.id(0)?);
            }
        }
    }
    Ok(used)
}

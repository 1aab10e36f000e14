//! Pointers that functions take and WGSL does not let them take.
//!
//! WGSL's functions take pointers to their callers' and to private variables only. For any other
//! pointer a function is made again for the variable in which the pointer begins and the members it goes
//! through; what the caller computes, the indices, it takes as numbers.

use anywarp_program::naga::{self, Handle};
use rspirv::spirv::StorageClass;

use super::function::{Index, Pointer, Root, Step};
use super::layout::Atomics;
use crate::module::Id;

/// What a function knows of a pointer that is handed over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PointerSpecialisation {
    pub(crate) global: Handle<naga::GlobalVariable>,
    /// What the variable holds.
    pub(crate) ty: Id,
    pub(crate) atomics: Atomics,
    pub(crate) steps: Vec<SpecialisedStep>,
    pub(crate) class: StorageClass,
}

/// A step of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SpecialisedStep {
    Member(u32),
    Constant(Id),
    /// A number of this type.
    Argument(Handle<naga::Type>),
}

/// Whether pointers of this class are handed over in parts.
pub(crate) fn is_specialised(class: StorageClass) -> bool {
    !matches!(
        class,
        StorageClass::Function
            | StorageClass::Private
            | StorageClass::Input
            | StorageClass::Output
            | StorageClass::UniformConstant
    )
}

impl PointerSpecialisation {
    /// The pointer in the function, which gets an argument for each number.
    pub(crate) fn pointer(&self, name: Option<&str>, function: &mut naga::Function) -> Pointer {
        let steps = self.steps.iter().map(|step| match *step {
            SpecialisedStep::Member(member) => Step::Member(member),
            SpecialisedStep::Constant(id) => Step::Index(Index::Value(id)),
            SpecialisedStep::Argument(ty) => {
                function.arguments.push(naga::FunctionArgument {
                    name: name.map(str::to_owned),
                    ty,
                    binding: None,
                });
                Step::Index(Index::Argument(function.arguments.len() as u32 - 1))
            }
        });
        Pointer {
            root: Root::Global(self.global),
            ty: self.ty,
            atomics: self.atomics.clone(),
            steps: steps.collect(),
            class: self.class,
        }
    }
}

//! Function specialization for pointer parameters that WGSL does not allow.
//!
//! WGSL functions take pointers to function-local and private variables only. For any other pointer a function is
//! cloned for each combination of base variable and member path; the dynamic indices, which the caller computes,
//! become integer arguments.

use anywarp_program::naga::{self, Handle};
use rspirv::spirv::StorageClass;

use super::function::{Index, Pointer, Root, Step};
use super::layout::AtomicPaths;
use crate::module::Id;

/// The part of a pointer argument for which a function is specialized.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PointerSpecialization {
    pub(crate) global: Handle<naga::GlobalVariable>,
    /// The type of the variable.
    pub(crate) ty: Id,
    pub(crate) atomics: AtomicPaths,
    pub(crate) steps: Vec<SpecializedStep>,
    pub(crate) class: StorageClass,
}

/// A step of a specialized pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SpecializedStep {
    Member(u32),
    Constant(Id),
    /// A dynamic index: an argument of this type.
    Argument(Handle<naga::Type>),
}

/// Whether pointer parameters of this storage class need specialization.
pub(crate) fn is_specialized(class: StorageClass) -> bool {
    !matches!(
        class,
        StorageClass::Function
            | StorageClass::Private
            | StorageClass::Input
            | StorageClass::Output
            | StorageClass::UniformConstant
    )
}

impl PointerSpecialization {
    /// The pointer inside the function. Adds an argument for each dynamic index.
    pub(crate) fn pointer(&self, name: Option<&str>, function: &mut naga::Function) -> Pointer {
        let steps = self.steps.iter().map(|step| match *step {
            SpecializedStep::Member(member) => Step::Member(member),
            SpecializedStep::Constant(id) => Step::Index(Index::Value(id)),
            SpecializedStep::Argument(ty) => {
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

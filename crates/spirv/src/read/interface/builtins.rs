//! Mapping of SPIR-V builtins to naga builtins.

use anywarp_program::naga::{self, Scalar, ShaderStage, TypeInner, VectorSize};
use rspirv::spirv::BuiltIn;

/// A naga builtin and its type.
pub(super) struct NagaBuiltIn {
    pub(super) builtin: naga::BuiltIn,
    pub(super) ty: TypeInner,
}

const fn vector(size: VectorSize, scalar: Scalar) -> TypeInner {
    TypeInner::Vector { size, scalar }
}

/// The naga builtin of an input, if there is one.
pub(super) fn input(builtin: BuiltIn, stage: ShaderStage) -> Option<NagaBuiltIn> {
    use naga::BuiltIn as To;
    let number = TypeInner::Scalar(Scalar::U32);
    let three = vector(VectorSize::Tri, Scalar::U32);
    let (builtin, ty) = match builtin {
        BuiltIn::FragCoord => {
            let position = To::Position { invariant: false };
            (position, vector(VectorSize::Quad, Scalar::F32))
        }
        BuiltIn::VertexIndex => (To::VertexIndex, number),
        BuiltIn::InstanceIndex => (To::InstanceIndex, number),
        BuiltIn::BaseVertex => (To::BaseVertex, number),
        BuiltIn::BaseInstance => (To::BaseInstance, number),
        BuiltIn::DrawIndex => (To::DrawIndex, number),
        BuiltIn::ViewIndex => (To::ViewIndex, number),
        BuiltIn::PrimitiveId => (To::PrimitiveIndex, number),
        BuiltIn::FrontFacing => (To::FrontFacing, TypeInner::Scalar(Scalar::BOOL)),
        BuiltIn::PointCoord => (To::PointCoord, vector(VectorSize::Bi, Scalar::F32)),
        BuiltIn::SampleId => (To::SampleIndex, number),
        BuiltIn::SampleMask if stage == ShaderStage::Fragment => (To::SampleMask, number),
        BuiltIn::BaryCoordKHR => {
            let builtin = To::Barycentric { perspective: true };
            (builtin, vector(VectorSize::Tri, Scalar::F32))
        }
        BuiltIn::BaryCoordNoPerspKHR => {
            let builtin = To::Barycentric { perspective: false };
            (builtin, vector(VectorSize::Tri, Scalar::F32))
        }
        BuiltIn::GlobalInvocationId => (To::GlobalInvocationId, three),
        BuiltIn::LocalInvocationId => (To::LocalInvocationId, three),
        BuiltIn::LocalInvocationIndex => (To::LocalInvocationIndex, number),
        BuiltIn::WorkgroupId => (To::WorkGroupId, three),
        BuiltIn::NumWorkgroups => (To::NumWorkGroups, three),
        BuiltIn::NumSubgroups => (To::NumSubgroups, number),
        BuiltIn::SubgroupId => (To::SubgroupId, number),
        BuiltIn::SubgroupSize => (To::SubgroupSize, number),
        BuiltIn::SubgroupLocalInvocationId => (To::SubgroupInvocationId, number),
        _ => return None,
    };
    Some(NagaBuiltIn { builtin, ty })
}

/// The naga builtin of an output, if there is one. Clip distances are not in this table, as they keep the array type
/// of the module.
pub(super) fn output(builtin: BuiltIn, is_invariant: bool) -> Option<NagaBuiltIn> {
    use naga::BuiltIn as To;
    let (builtin, ty) = match builtin {
        BuiltIn::Position => {
            let position = To::Position {
                invariant: is_invariant,
            };
            (position, vector(VectorSize::Quad, Scalar::F32))
        }
        BuiltIn::FragDepth => (To::FragDepth, TypeInner::Scalar(Scalar::F32)),
        BuiltIn::SampleMask => (To::SampleMask, TypeInner::Scalar(Scalar::U32)),
        _ => return None,
    };
    Some(NagaBuiltIn { builtin, ty })
}

//! Shared by the tests that run the conformance cases through SPIR-V.

use anywarp_adapter::SubgroupSize;
use anywarp_tests::{Case, Dispatch, Executor, ExecutorName, Feature, Memory, RunError, Slot};

/// An executor with the name of a Vulkan device, so that results which a case allows on Vulkan only are accepted: they
/// remain possible after a round trip through SPIR-V.
pub(crate) struct AsVulkan<'a>(pub(crate) &'a dyn Executor);

impl Executor for AsVulkan<'_> {
    fn name(&self) -> ExecutorName {
        ExecutorName::Lavapipe
    }

    fn leaves_out(&self, feature: &Feature) -> bool {
        self.0.leaves_out(feature)
    }

    fn has_subgroups_of(&self, size: SubgroupSize) -> bool {
        self.0.has_subgroups_of(size)
    }

    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        self.0.run(dispatch)
    }
}

/// Whether an error is an expected one: SPIR-V, or the requested version of it, does not support the construct.
pub(crate) fn is_refused_rightly(error: &str) -> bool {
    error.contains("a subgroup operation needs SPIR-V 1.3")
        || error.contains("a barrier of a subgroup needs SPIR-V 1.3")
        || error.contains("needs an instruction that SPIR-V does not have")
        || error.contains("a matrix of `f16` in a uniform buffer")
        || error.contains("needs bounds that are not checked")
        || error.contains("bits of a texture needs a conversion to 32 bits")
        || error
            .contains("a workgroup size by overrides, among several entry points, needs SPIR-V 1.6")
}

/// Whether the bindings of each group are numbered consecutively from 0. wgpu renumbers the bindings for Vulkan, but
/// cannot do so in SPIR-V that is passed through.
pub(crate) fn has_bindings_in_order(dispatch: &Dispatch) -> bool {
    let before = |slot: &Slot| {
        let group = dispatch.memory.keys().filter(|it| it.group == slot.group);
        group.filter(|it| *it < slot).count()
    };
    let mut slots = dispatch.memory.keys();
    slots.all(|slot| before(slot) == slot.binding as usize)
}

const MOVED: &str = "indices are moved into their bounds, where our device gives zero";

/// Known failures among the cases with textures or arrays of bindings, with their reasons.
const OPEN: &[(&str, &str)] = &[
    ("textures/array_of_buffers_outside", MOVED),
    ("textures/array_of_buffers_atomic_non_uniform", MOVED),
    ("textures/array_of_lengths_non_uniform", MOVED),
    (
        "textures/store_bgra8unorm",
        "SPIR-V has no such format, and the reader takes another",
    ),
];

/// Whether a case is a known failure.
pub(crate) fn is_open(case: &Case) -> bool {
    OPEN.iter().any(|(name, _)| case.name().starts_with(name))
}

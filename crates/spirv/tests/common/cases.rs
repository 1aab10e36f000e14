//! What the tests share that run the cases of the conformance folder as SPIR-V.

use anywarp_adapter::SubgroupSize;
use anywarp_tests::{Case, Dispatch, Executor, ExecutorName, Feature, Memory, RunError, Slot};

/// An executor that may be right in the way of Vulkan, too: what SPIR-V makes of a program is not lost on
/// a way back.
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

/// Whether an error says that SPIR-V, or its version, has no way to say what a program says.
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

/// Whether a Vulkan device finds the bindings: wgpu counts those of a group anew for Vulkan, and cannot
/// tell foreign words.
pub(crate) fn has_bindings_in_order(dispatch: &Dispatch) -> bool {
    let before = |slot: &Slot| {
        let group = dispatch.memory.keys().filter(|it| it.group == slot.group);
        group.filter(|it| *it < slot).count()
    };
    let mut slots = dispatch.memory.keys();
    slots.all(|slot| before(slot) == slot.binding as usize)
}

const MOVED: &str = "indices are moved into their bounds, where our device gives zero";

/// Cases with textures or arrays of bindings that are not right yet, and why.
const OPEN: &[(&str, &str)] = &[
    ("textures/array_of_buffers_outside", MOVED),
    ("textures/array_of_buffers_atomic_non_uniform", MOVED),
    ("textures/array_of_lengths_non_uniform", MOVED),
    (
        "textures/store_bgra8unorm",
        "SPIR-V has no such format, and the reader takes another",
    ),
];

/// Whether a case with textures or arrays of bindings is left out.
pub(crate) fn is_open(case: &Case) -> bool {
    OPEN.iter().any(|(name, _)| case.name().starts_with(name))
}

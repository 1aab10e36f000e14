//! The set of extensions that a text needs.
//!
//! In: extensions, in any order and from any thread. Out: the set, in alphabetical order.

use std::sync::atomic::{AtomicU32, Ordering};

/// Defines the extensions with their WGSL names, in alphabetical order.
macro_rules! extensions {
    ($($name:ident = $word:literal,)*) => {
        /// An extension that a text can enable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Extension {
            $($name,)*
        }

        const ALL: &[(Extension, &str)] = &[$((Extension::$name, $word),)*];
    };
}

extensions! {
    ClipDistances = "clip_distances",
    DrawIndex = "draw_index",
    DualSourceBlending = "dual_source_blending",
    F16 = "f16",
    PrimitiveIndex = "primitive_index",
    Subgroups = "subgroups",
    BindingArray = "wgpu_binding_array",
    CooperativeMatrix = "wgpu_cooperative_matrix",
    Int16 = "wgpu_int16",
    MeshShader = "wgpu_mesh_shader",
    PerVertex = "wgpu_per_vertex",
    RayQuery = "wgpu_ray_query",
    RayQueryVertexReturn = "wgpu_ray_query_vertex_return",
    RayTracingPipeline = "wgpu_ray_tracing_pipeline",
}

/// A set of extensions, as atomic bits.
#[derive(Debug, Default)]
pub(super) struct Extensions(AtomicU32);

impl Extensions {
    /// Adds an extension.
    pub(super) fn insert(&self, extension: Extension) {
        let bit = 1 << extension as u32;
        // A plain load first: threads that only read do not contend.
        if self.0.load(Ordering::Relaxed) & bit == 0 {
            self.0.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// The extensions of the set, with their WGSL names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Extension, &'static str)> {
        let met = self.0.load(Ordering::Relaxed);
        let all = ALL.iter().copied();
        all.filter(move |(extension, _)| met & (1 << *extension as u32) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_in_the_order_of_the_alphabet() {
        assert!(ALL.is_sorted_by_key(|(_, word)| *word));
        let extensions = Extensions::default();
        for extension in [Extension::Subgroups, Extension::F16, Extension::Subgroups] {
            extensions.insert(extension);
        }
        let met: Vec<_> = extensions.iter().map(|(_, word)| word).collect();
        assert_eq!(met, ["f16", "subgroups"]);
    }
}

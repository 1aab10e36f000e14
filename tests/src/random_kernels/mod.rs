//! Generates random kernels by seed, for differential testing (like Csmith): valid WGSL that terminates, has no data
//! race, and has one correct result.
//!
//! In: a seed and [`GeneratorOptions`]. Out: a [`Kernel`] for which every executor must give the same bits, except for the
//! sign of zero, which WGSL leaves open.
//!
//! A kernel has structs, arrays, matrices, nested control flow, functions with pointers, all address spaces, atomics
//! and barriers. What WGSL leaves open is absent: out-of-bounds indices, inexact floats (see `types`), NaN, results
//! of atomics that depend on the order. [`minimise()`] reduces a failing kernel.
//!
//! `tests/suite/random_kernels.rs` runs a fixed set of seeds. For more, and to see a kernel:
//!
//! ```text
//! cargo run --release -p anywarp-tests --bin random_kernels -- 0..5000            # adapter
//! cargo run --release -p anywarp-tests --bin random_kernels -- 0..1000 lavapipe
//! cargo run -p anywarp-tests --bin random_kernels -- show 17
//! ```

mod builtins;
mod compare;
mod entry;
mod expressions;
mod functions;
mod generator;
mod lanes;
mod memory;
mod minimise;
mod printing;
mod scope;
mod statements;
mod textures;
mod tree;
mod types;
mod walk;

pub use compare::{Verdict, compare};
pub use minimise::minimise;
pub use textures::OutOfBoundsLoad;
pub use tree::Kernel;
pub use types::{Scalar, Type};

use crate::executor::{Dispatch, Executor, ExecutorName, Slot};
use crate::feature::Feature;
use crate::texture::Bindings;

/// The features that kernels may use.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// The types of numbers.
    pub scalars: Vec<Scalar>,
    /// Whether kernels use subgroup operations.
    pub subgroups: bool,
    /// Whether bit functions may have sizes other than 32 bits, which naga cannot write as SPIR-V.
    pub every_bit: bool,
    /// Whether atomics may have 64 bits.
    pub wide_atomics: bool,
    /// Whether atomics may be floats.
    pub float_atomics: bool,
    /// Whether there are textures, and the result of out-of-bounds loads.
    pub textures: Option<OutOfBoundsLoad>,
    /// Whether textures may be atomic.
    pub texture_atomics: bool,
}

impl Default for GeneratorOptions {
    /// The features that every executor supports.
    fn default() -> Self {
        Self {
            scalars: vec![Scalar::I32, Scalar::U32, Scalar::F32],
            subgroups: false,
            every_bit: false,
            wide_atomics: false,
            float_atomics: false,
            textures: Some(OutOfBoundsLoad::Unspecified),
            texture_atomics: false,
        }
    }
}

impl GeneratorOptions {
    /// Every type that an executor supports, and subgroups and atomics if it supports them.
    pub fn all_of(executor: &dyn Executor) -> Self {
        let wide = [Scalar::I64, Scalar::U64, Scalar::F16, Scalar::F64].into_iter();
        let has = |name| Feature::named(name).is_some_and(|feature| !executor.leaves_out(feature));
        let mut options = Self::default();
        let there = wide.filter(|scalar| scalar.feature().is_some_and(has));
        options.scalars.extend(there);
        options.subgroups = has("subgroups");
        options.wide_atomics = has("int64") && has("int64_atomics");
        options.float_atomics = has("f32_atomics");
        options.texture_atomics = has("texture_atomics");
        if executor.name() != ExecutorName::Lavapipe {
            options.textures = Some(OutOfBoundsLoad::Zero);
            options.every_bit = true;
            // lavapipe 22.3 hangs, and LLVM crashes, on some uses of these.
            options.scalars.extend([Scalar::I16, Scalar::U16]);
        }
        options
    }

    /// Everything that the vector IR supports, so that no kernel is interpreted.
    pub fn vector_code() -> Self {
        let mut options = Self {
            subgroups: true,
            every_bit: true,
            wide_atomics: true,
            float_atomics: true,
            texture_atomics: true,
            textures: Some(OutOfBoundsLoad::Zero),
            ..Self::default()
        };
        let wide = [Scalar::I64, Scalar::U64, Scalar::F16, Scalar::F64];
        options.scalars.extend(wide);
        options.scalars.extend([Scalar::I16, Scalar::U16]);
        options
    }

    /// The device features that are needed for all of it, by their names in the conformance folder.
    fn features(&self) -> Vec<&'static str> {
        let of_types = self.scalars.iter().filter_map(|scalar| scalar.feature());
        let others = [
            (self.subgroups, "subgroups"),
            (self.wide_atomics, "int64_atomics"),
            (self.float_atomics, "f32_atomics"),
            (self.texture_atomics, "texture_atomics"),
        ];
        let others = others.into_iter().filter(|(is_used, _)| *is_used);
        of_types.chain(others.map(|(_, name)| name)).collect()
    }
}

impl Kernel {
    /// The kernel of a seed, the same on every machine.
    pub fn generate(seed: u64, options: &GeneratorOptions) -> Self {
        entry::kernel(seed, options)
    }

    /// Its WGSL text.
    pub fn wgsl(&self) -> String {
        printing::print(self)
    }

    /// The dispatch that runs it.
    pub fn dispatch(&self) -> Dispatch {
        let wgsl = self.wgsl();
        let buffers = (0..).zip(&self.buffers);
        let used = buffers.filter(|(_, buffer)| printing::mentions(&wgsl, &buffer.name));
        let memory =
            used.map(|(binding, buffer)| (Slot { group: 0, binding }, buffer.words.clone()));
        let memory = memory.collect();
        let constants = self
            .overrides
            .iter()
            .filter(|(name, _)| printing::mentions(&wgsl, name));
        let constants = constants.cloned().collect();
        let has_immediates = printing::mentions(&wgsl, "tokens");
        let immediates = self.immediates.iter().filter(|_| has_immediates);
        let needs = self.features.iter().copied().filter_map(Feature::named);
        let mut bindings = Bindings::default();
        for (binding, buffer) in (0..).zip(&self.buffers) {
            if let Some(spec) = &buffer.texture {
                let slot = Slot { group: 0, binding };
                bindings.textures.insert(slot, spec.clone());
            }
        }
        Dispatch {
            needs: needs.collect(),
            bindings,
            constants,
            immediates: immediates.copied().collect(),
            ..Dispatch::new("random kernel", wgsl, self.workgroups, memory)
        }
    }
}

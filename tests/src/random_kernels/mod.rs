//! Random kernels by seed: valid WGSL that ends, does not race, and has one right answer.
//!
//! In: a seed and [`Options`]. Out: a [`Kernel`] that every executor must answer alike, bit by bit but
//! for the sign of a float's zero, which WGSL leaves open.
//!
//! A kernel has structs, arrays, matrices, nested control flow, functions with pointers, all address
//! spaces, atomics and barriers. What WGSL leaves to implementations is absent: indices outside of
//! arrays, floats that are not exact ([`types`] says how), NaN, results of atomics whose order is open.
//! [`minimise`] cuts a kernel down while something about it stays true.
//!
//! `tests/suite/random_kernels.rs` runs a fixed set of seeds. For more, and to see a kernel:
//!
//! ```text
//! cargo run --release -p anywarp-tests --bin random_kernels -- 0..5000            # adapter
//! cargo run --release -p anywarp-tests --bin random_kernels -- 0..1000 lavapipe
//! cargo run -p anywarp-tests --bin random_kernels -- show 17
//! ```

mod builtins;
mod chance;
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
mod tree;
mod types;
mod walk;

pub use compare::{Verdict, compare};
pub use minimise::minimise;
pub use tree::Kernel;
pub use types::{Scalar, Type};

use crate::executor::{Dispatch, Executor, Slot};
use crate::feature::Feature;

/// What kernels may use.
#[derive(Clone, Debug)]
pub struct Options {
    /// The types of numbers.
    pub scalars: Vec<Scalar>,
    /// Whether subgroups are asked.
    pub subgroups: bool,
}

impl Default for Options {
    /// What every executor has.
    fn default() -> Self {
        Self {
            scalars: vec![Scalar::I32, Scalar::U32, Scalar::F32],
            subgroups: false,
        }
    }
}

impl Options {
    /// Every type that an executor has, and subgroups if it has them.
    pub fn all_of(executor: &dyn Executor) -> Self {
        let wide = [Scalar::I64, Scalar::U64, Scalar::F16, Scalar::F64].into_iter();
        let has = |name| Feature::named(name).is_some_and(|feature| !executor.leaves_out(feature));
        let mut options = Self::default();
        let there = wide.filter(|scalar| scalar.feature().is_some_and(has));
        options.scalars.extend(there);
        options.subgroups = has("subgroups");
        options
    }
}

impl Kernel {
    /// The kernel of a seed, the same on every machine.
    pub fn generate(seed: u64, options: &Options) -> Self {
        entry::kernel(seed, options)
    }

    /// Its text.
    pub fn wgsl(&self) -> String {
        printing::print(self)
    }

    /// A run of it.
    pub fn dispatch(&self) -> Dispatch {
        let wgsl = self.wgsl();
        let buffers = (0..).zip(&self.buffers);
        let used = buffers.filter(|(_, buffer)| printing::mentions(&wgsl, &buffer.name));
        let memory =
            used.map(|(binding, buffer)| (Slot { group: 0, binding }, buffer.words.clone()));
        let memory = memory.collect();
        let overrides = self.overrides.iter();
        let constants = overrides.filter(|(name, _)| printing::mentions(&wgsl, name));
        let constants = constants.cloned().collect();
        let has_immediates = printing::mentions(&wgsl, "tokens");
        let immediates = self.immediates.iter().filter(|_| has_immediates);
        let scalars = self.scalars.iter();
        let features = scalars.filter_map(|scalar| scalar.feature());
        let subgroups = self.subgroups.then_some("subgroups");
        let needs = features.chain(subgroups).filter_map(Feature::named);
        Dispatch {
            needs: needs.collect(),
            constants,
            immediates: immediates.copied().collect(),
            ..Dispatch::new("random kernel", wgsl, self.workgroups, memory)
        }
    }
}

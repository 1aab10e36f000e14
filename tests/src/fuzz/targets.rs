//! The table of fuzz targets.

use super::stages::Stages;
use super::verdict::Verdict;
use super::{
    bounds, doubling, graph_toml, kernels, lanes_text, passes, self_test, spirv, wasm, wgsl,
};
use anywarp_test_support::Random;

/// A fuzz body with a generator of inputs.
#[derive(Debug)]
pub struct Target {
    /// Its name, also that of the file in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// Runs the body on an input.
    pub(crate) body: fn(&[u8], &Stages) -> Verdict,
    /// Generates a random input.
    pub(crate) generate: fn(&mut Random) -> Vec<u8>,
    /// Describes an input as text.
    pub(crate) describe: fn(&[u8]) -> String,
    /// The number of inputs in the quick run under `cargo test`.
    pub brief: u64,
}

/// All targets, in the order in which they run.
pub const TARGETS: &[Target] = &[
    Target {
        name: "wgsl",
        body: wgsl::body,
        generate: wgsl::generate,
        describe: as_text,
        brief: 60,
    },
    Target {
        name: "spirv",
        body: spirv::body,
        generate: spirv::generate,
        describe: spirv::describe,
        brief: 60,
    },
    Target {
        name: "wasm",
        body: wasm::body,
        generate: wasm::generate,
        describe: wasm::describe,
        brief: 40,
    },
    Target {
        name: "graph_toml",
        body: graph_toml::body,
        generate: graph_toml::generate,
        describe: as_text,
        brief: 100,
    },
    Target {
        name: "lanes_text",
        body: lanes_text::body,
        generate: lanes_text::generate,
        describe: as_text,
        brief: 100,
    },
    Target {
        name: "doubling",
        body: doubling::body,
        generate: doubling::generate,
        describe: doubling::describe,
        brief: 12,
    },
    Target {
        name: "kernels",
        body: kernels::body,
        generate: eight_bytes,
        describe: kernels::describe,
        brief: 30,
    },
    Target {
        name: "bounds",
        body: bounds::body,
        generate: eight_bytes,
        describe: bounds::describe,
        brief: 20,
    },
    Target {
        name: "passes",
        body: passes::body,
        generate: eight_bytes,
        describe: passes::describe,
        brief: 40,
    },
];

impl Target {
    /// The target with this name, including those that test the oracle.
    pub fn named(name: &str) -> Option<&'static Self> {
        let all = TARGETS.iter().chain(self_test::TARGETS);
        all.into_iter().find(|target| target.name == name)
    }

    /// A random input by number.
    pub fn generate(&self, seed: u64) -> Vec<u8> {
        (self.generate)(&mut Random::new(seed))
    }

    /// An input as readable text.
    pub fn describe(&self, input: &[u8]) -> String {
        (self.describe)(input)
    }
}

/// A seed, for bodies that generate their input from one.
fn eight_bytes(random: &mut Random) -> Vec<u8> {
    random.bits().to_le_bytes().to_vec()
}

/// The seed that the bytes encode.
pub(crate) fn seed(input: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = input.len().min(8);
    bytes[..length].copy_from_slice(&input[..length]);
    u64::from_le_bytes(bytes)
}

fn as_text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

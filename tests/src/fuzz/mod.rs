//! Fuzz bodies with resource oracles.
//!
//! In: bytes. Out: a [`Report`]: what the body found, and the time and memory of its most expensive stage. A [`Target`]
//! is a body with a generator of random inputs. The same bodies run under `cargo test` (`tests/suite/fuzz.rs`), under
//! `cargo xtask soak`, and under libFuzzer (`fuzz/`).
//!
//! What is a finding: a stage above its [`Limits`], a panic, an internal error, a signal (a guard page was touched, the
//! stack overflowed), a difference between engines, and a difference from `evaluate` after a pass. The first two and
//! the differences are seen in the process that runs the body; signals and hangs are seen by a [`Supervisor`], which
//! runs bodies in another process.

mod bounds;
mod corpus;
mod doubling;
mod exercise;
mod finding;
mod graph_toml;
mod kernels;
mod lanes_text;
mod limits;
mod measure;
pub mod memory;
mod mutate;
mod passes;
mod reduce;
mod self_test;
mod soak;
mod spirv;
mod stages;
mod supervisor;
mod targets;
mod translate;
mod verdict;
mod wasm;
mod wgsl;
pub mod worker;

pub use corpus::write_corpus;
pub use finding::{Finding, Kind};
pub use limits::Limits;
pub use measure::{assert_no_finding, measure};
pub use reduce::reduce;
pub use soak::{Options as SoakOptions, Summary, input, soak};
pub use stages::Stages;
pub use supervisor::Supervisor;
pub use targets::{TARGETS, Target};
pub use verdict::{Report, Verdict};

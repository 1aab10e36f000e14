//! Fuzz targets with resource limits.
//!
//! In: bytes. Out: a [`Report`]: the verdict of the body, and the time and memory of its most expensive stage. A
//! [`Target`] is a body with a generator of random inputs. The same bodies run under `cargo test`
//! (`tests/suite/fuzz.rs`), under `cargo xtask soak`, and under libFuzzer (`fuzz/`).
//!
//! A finding is: a stage above its [`Limits`], a panic, an internal error, a signal (access to a guard page, stack
//! overflow), a difference between engines, or a difference of `evaluate` before and after a pass. Resource excess,
//! panics and differences are detected in the process that runs the body; signals and hangs are detected by a
//! [`Supervisor`], which runs bodies in another process.

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

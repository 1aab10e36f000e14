//! Conformance cases as data, and the executors that run them.
//!
//! A [`Case`] is one small WGSL program with a header that lists its inputs and expected outputs; the format is
//! described in `conformance/README.md`. An [`Executor`] runs a program once: the interpreter directly, or any
//! adapter through wgpu. [`check_all`] runs a folder of cases on an executor and reports all mismatches at once.
//!
//! [`accuracy`] measures builtin functions; [`random_kernels`] generates kernels for differential testing; [`fuzz`] has the
//! bodies of all fuzz tests, with limits on time and memory. The browser driver is a package of its own, in
//! `tests/browser`, because it takes long to compile.
//!
//! Expected values come from the rules of WGSL. There is no switch that records the results of an executor as
//! expected.

pub mod accuracy;
mod case;
mod check;
mod directive;
mod executor;
mod expectation;
mod feature;
#[cfg(unix)]
pub mod fuzz;
mod interpreter;
mod interval;
mod literal;
pub mod random_kernels;
mod scalar;
mod tally;
mod texture;
mod through_wgpu;
pub mod tolerance;
mod values;

pub use anywarp_test_support::report_skip;
pub use case::{Case, CaseError, load_folder};
pub use check::{Checked, check_all, run_all};
pub use directive::Deviation;
pub use executor::{Dispatch, Executor, ExecutorName, Memory, RunError, Slot};
pub use expectation::{Expectation, Mismatch, Within};
pub use feature::Feature;
pub use interpreter::{Interpreter, program};
pub use interval::Interval;
pub use literal::Literal;
pub use scalar::Scalar;
pub use tally::{CaseOutcome, Tally};
pub use texture::{Bindings, TextureSpec};
pub use through_wgpu::{
    Compiled, Session, ThroughWgpu, adapter, code, code_with_calls, lavapipe, wgpu_format,
};
pub use tolerance::Tolerance;

//! One kernel on two executors.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anywarp_program::{Program, Source};

use super::Kernel;
use super::types::Scalar;
use crate::executor::{Executor, Memory, RunError};

/// What came of running a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same everywhere.
    Agrees,
    /// The validator refuses it: a bug of the generator.
    Invalid(String),
    /// The reference evaluator could not run it.
    Reference(String),
    /// The other executor could not run it.
    Fails(String),
    /// The executors disagree.
    Differs(String),
}

impl Verdict {
    /// Whether two verdicts are about the same kind of trouble.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fails(one), Self::Fails(two)) => one == two,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agrees => f.write_str("agrees"),
            Self::Invalid(text) => write!(f, "is invalid: {text}"),
            Self::Reference(text) => write!(f, "fails on the reference: {text}"),
            Self::Fails(text) => write!(f, "fails: {text}"),
            Self::Differs(text) => write!(f, "differs: {text}"),
        }
    }
}

/// Runs a kernel on the reference and on another executor.
pub fn compare(kernel: &Kernel, reference: &dyn Executor, other: &dyn Executor) -> Verdict {
    let dispatch = kernel.dispatch();
    if dispatch.memory.is_empty() {
        // Nobody can see what it does.
        return Verdict::Agrees;
    }
    let source = Source::new(dispatch.name.as_str(), dispatch.wgsl.as_str());
    if let Err(error) = Program::from_source(source) {
        return Verdict::Invalid(error.to_string());
    }
    let run = |executor: &dyn Executor| {
        catch_unwind(AssertUnwindSafe(|| executor.run(&dispatch)))
            .unwrap_or_else(|_| Err(RunError("panicked".to_owned())))
    };
    match (run(reference), run(other)) {
        (Err(error), _) => Verdict::Reference(error.0),
        (_, Err(error)) => Verdict::Fails(error.0),
        (Ok(expected), Ok(actual)) => match kernel.difference(&expected, &actual) {
            Some(text) => Verdict::Differs(text),
            None => Verdict::Agrees,
        },
    }
}

impl Kernel {
    /// The first place where two memories differ, padding aside.
    fn difference(&self, expected: &Memory, actual: &Memory) -> Option<String> {
        for (slot, words) in expected {
            let buffer = &self.buffers[slot.binding as usize];
            for (offset, scalar) in &buffer.leaves {
                let at = *offset as usize / 4;
                let (expected, actual) = (words[at], actual[slot][at]);
                if normal(*scalar, expected) != normal(*scalar, actual) {
                    let name = &buffer.name;
                    return Some(format!(
                        "{} at byte {offset} of `{name}`: expected {expected:#x}, got {actual:#x}",
                        scalar.name()
                    ));
                }
            }
        }
        None
    }
}

/// A word in which zero has no sign.
fn normal(scalar: Scalar, word: u32) -> u32 {
    match scalar.is_float() && word == 1 << 31 {
        true => 0,
        false => word,
    }
}

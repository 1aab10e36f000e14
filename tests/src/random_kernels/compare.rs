//! Compares the results of one kernel on two executors.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anywarp_program::{Program, Source};

use super::Kernel;
use super::types::Scalar;
use crate::executor::{Executor, Memory, RunError};

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The results are equal.
    Agrees,
    /// The validator rejects the kernel: a bug of the generator.
    Invalid(String),
    /// The interpreter failed to run it.
    Reference(String),
    /// The other executor failed to run it.
    Fails(String),
    /// The results differ.
    Differs(String),
}

impl Verdict {
    /// Whether two verdicts have the same kind.
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
        // It has no outputs.
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
    /// The first difference between two memories, padding excluded.
    fn difference(&self, expected: &Memory, actual: &Memory) -> Option<String> {
        for (slot, words) in expected {
            let buffer = &self.buffers[slot.binding as usize];
            for (offset, scalar) in &buffer.leaves {
                let expected = bits(*scalar, words, *offset);
                let actual = bits(*scalar, &actual[slot], *offset);
                if expected != actual {
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

/// The bits of a scalar in a buffer; the sign of zero is ignored.
fn bits(scalar: Scalar, words: &[u32], offset: u32) -> u64 {
    let bytes: &[u8] = bytemuck::cast_slice(words);
    let (at, size) = (offset as usize, scalar.size() as usize);
    let mut value = [0; 8];
    value[..size].copy_from_slice(&bytes[at..at + size]);
    let value = u64::from_le_bytes(value);
    if scalar.is_float() && value == 1 << (size * 8 - 1) {
        0
    } else {
        value
    }
}

//! The error of translation validation.

use std::fmt;

use iced_x86::{Formatter, Instruction, IntelFormatter};

/// An instruction that breaks a rule.
#[derive(Debug)]
pub(crate) struct ScanError {
    /// Its distance from the beginning of constants and code.
    offset: u64,
    /// Its text.
    instruction: String,
    /// The rule.
    rule: &'static str,
}

impl ScanError {
    pub(super) fn new(instruction: &Instruction, rule: &'static str) -> Self {
        let mut text = String::new();
        IntelFormatter::new().format(instruction, &mut text);
        Self {
            offset: instruction.ip(),
            instruction: text,
            rule,
        }
    }

    /// An error without an instruction to name.
    pub(super) fn at(offset: u64, rule: &'static str) -> Self {
        Self {
            offset,
            instruction: "end of a piece".to_owned(),
            rule,
        }
    }

    #[cfg(test)]
    pub(super) fn rule(&self) -> &'static str {
        self.rule
    }
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            offset,
            instruction,
            rule,
        } = self;
        write!(
            f,
            "the scan of machine code rejects `{instruction}` at {offset:#x}: {rule}"
        )
    }
}

/// Returns an error unless a condition holds.
pub(super) fn ensure(
    holds: bool,
    instruction: &Instruction,
    rule: &'static str,
) -> Result<(), ScanError> {
    if holds {
        Ok(())
    } else {
        Err(ScanError::new(instruction, rule))
    }
}

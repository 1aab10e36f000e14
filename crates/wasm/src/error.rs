//! What can be wrong with a module, and what its author should know.
//!
//! A [`TranslateError`] refuses the module; a [`Warning`] does not.

use std::fmt;

/// wasmparser shows some bytes over several lines.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why a module was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslateError {
    /// The bytes are no valid module of the features that are supported.
    #[error("{message} (at byte {offset:#x} of the module)")]
    Invalid {
        /// What is wrong.
        message: String,
        /// Where, counted from the module's beginning.
        offset: u64,
    },
    /// Nobody has what the module wants.
    #[error("unknown import `{module}`.`{name}`")]
    UnknownImport {
        /// The module that it names.
        module: String,
        /// The name in it.
        name: String,
    },
    /// What the module wants is of another type.
    #[error("incompatible import type for `{module}`.`{name}`: {detail}")]
    IncompatibleImport {
        /// The module that it names.
        module: String,
        /// The name in it.
        name: String,
        /// Wanted and found.
        detail: String,
    },
    /// Functions call themselves, and that was not allowed.
    #[error("Recursion not supported on GPU: {}", Cycle(cycle))]
    Recursion {
        /// The functions, each calling the next, and the last the first.
        cycle: Vec<String>,
    },
    /// Something is too large to be translated.
    #[error("{place} {what}")]
    TooLarge {
        /// What it is part of.
        place: String,
        /// What it has too much of.
        what: String,
    },
}

/// Shows a cycle with its first function once more at the end.
struct Cycle<'a>(&'a [String]);

impl fmt::Display for Cycle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in self.0 {
            write!(f, "`{name}` -> ")?;
        }
        match self.0.first() {
            Some(first) => write!(f, "`{first}`"),
            None => Ok(()),
        }
    }
}

impl From<wasmparser::Error> for TranslateError {
    fn from(error: wasmparser::Error) -> Self {
        Self::Invalid {
            message: one_line(error.message()),
            offset: error.offset(),
        }
    }
}

impl TranslateError {
    /// Too much of something in a function.
    pub(crate) fn function(name: &str, what: impl Into<String>) -> Self {
        Self::TooLarge {
            place: format!("function `{name}`"),
            what: what.into(),
        }
    }

    /// Too much of something in a module.
    pub(crate) fn module(what: impl Into<String>) -> Self {
        Self::TooLarge {
            place: "the module".to_owned(),
            what: what.into(),
        }
    }
}

/// Something that works, but not as well as its author may expect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A call stays a call.
    NotInlined {
        /// Who calls.
        caller: String,
        /// Who is called.
        callee: String,
        /// What stood in the way.
        reason: Reason,
    },
    /// Functions may call themselves through a table.
    PossibleRecursion {
        /// The function that calls through the table.
        function: String,
        /// The table's number in the program.
        table: u32,
        /// The type that is called.
        ty: String,
    },
}

/// Why a call was not inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Calls inside of calls went deeper than the limit.
    Depth,
    /// The caller would become too large.
    Size,
    /// The caller would need more slots than instructions can name.
    Slots,
    /// The functions call themselves.
    Recursion,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInlined {
                caller,
                callee,
                reason,
            } => {
                let reason = match reason {
                    Reason::Depth => "calls are nested too deeply",
                    Reason::Size => "the code would become too large",
                    Reason::Slots => "the frame would become too large",
                    Reason::Recursion => "it is recursive",
                };
                write!(
                    f,
                    "the call of `{callee}` in `{caller}` is not inlined: {reason}"
                )
            }
            Self::PossibleRecursion {
                function,
                table,
                ty,
            } => write!(
                f,
                "recursion is possible in `{function}` through table {table} with type {ty}"
            ),
        }
    }
}

//! Lowering errors.

use anywarp_program::Location;
use anywarp_program::work::OverBudget;

/// Why an entry point cannot be lowered to the vector IR. The caller may run it with the interpreter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The program has no such compute entry point.
    #[error("no compute entry point `{0}`")]
    NoEntryPoint(String),
    /// The program uses a feature that the vector IR does not support yet.
    #[error("no vector code for {what}{}", at(.place))]
    Unsupported {
        /// The feature.
        what: String,
        /// Source position, if known.
        place: Option<Box<Location>>,
    },
    /// A work limit was exceeded.
    #[error("compiling `{entry_point}` takes {limit}, in function `{function}`")]
    OverBudget {
        /// The entry point.
        entry_point: String,
        /// The function that was being lowered, inlined calls included.
        function: String,
        /// The limit.
        limit: OverBudget,
        /// Whether functions are inlined that could be called ([`CallPolicy::All`](crate::CallPolicy::All)).
        inlines: bool,
    },
}

fn at(place: &Option<Box<Location>>) -> String {
    place
        .as_ref()
        .map(|place| format!(" at {place}"))
        .unwrap_or_default()
}

/// A lowering error without its source position, which the caller adds.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// An unsupported feature.
    Unsupported(String),
    /// A work limit was exceeded.
    OverBudget(OverBudget),
}

impl From<OverBudget> for Stop {
    fn from(limit: OverBudget) -> Self {
        Self::OverBudget(limit)
    }
}

pub(super) type Result<T = ()> = std::result::Result<T, Stop>;

/// An error that names an unsupported feature.
pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Stop::Unsupported(what.into()))
}

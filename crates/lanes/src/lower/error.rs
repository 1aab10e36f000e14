//! Why an entry point does not become vector code.

use anywarp_program::Location;
use anywarp_program::work::OverBudget;

/// Why an entry point does not become vector code. Whoever asks may run it in another way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The program has no such compute entry point.
    #[error("no compute entry point `{0}`")]
    NoEntryPoint(String),
    /// There is no vector code yet for something in the program.
    #[error("no vector code for {what}{}", at(.place))]
    Unsupported {
        /// What it is.
        what: String,
        /// Where it is, if that is known.
        place: Option<Box<Location>>,
    },
    /// The work for the program is over a limit.
    #[error("compiling `{entry_point}` takes {limit}, in function `{function}`")]
    OverBudget {
        /// The entry point.
        entry_point: String,
        /// The function that was being lowered, inlined calls included.
        function: String,
        /// The limit.
        limit: OverBudget,
        /// Whether functions are inlined that could be called ([`Calls::All`](crate::Calls::All)).
        inlines: bool,
    },
}

fn at(place: &Option<Box<Location>>) -> String {
    place
        .as_ref()
        .map(|place| format!(" at {place}"))
        .unwrap_or_default()
}

/// What stops the lowering; the place is added where it is known.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// There is no vector code for something.
    Unsupported(String),
    /// The work is over a limit.
    OverBudget(OverBudget),
}

impl From<OverBudget> for Stop {
    fn from(limit: OverBudget) -> Self {
        Self::OverBudget(limit)
    }
}

pub(super) type Result<T = ()> = std::result::Result<T, Stop>;

/// A stop that names something.
pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Stop::Unsupported(what.into()))
}

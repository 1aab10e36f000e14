//! Errors of the SPIR-V writer.

use anywarp_program::work::OverBudget;

/// Why a program cannot be written as SPIR-V, or as the requested version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpirvError {
    /// An unknown version.
    #[error("there is no SPIR-V {0}.{1}; 1.0 to 1.6 can be written")]
    Version(u8, u8),
    /// An unknown entry point.
    #[error("there is no entry point `{name}`; the program has {known}")]
    EntryPoint {
        /// The requested name.
        name: String,
        /// The names of the program's entry points.
        known: String,
    },
    /// A pipeline-overridable constant that cannot be evaluated or expressed.
    #[error("{0}")]
    Constant(String),
    /// A construct that the version does not support.
    #[error("{what} needs {needs}")]
    Unsupported {
        /// The construct.
        what: String,
        /// What would be needed to support it.
        needs: String,
    },
    /// A work limit of the options was exceeded.
    #[error("{place} takes {over} to write; raise the limit with `{}` (`SpirvOptions::limits`)", .over.option())]
    OverBudget {
        /// The function, or the whole module.
        place: String,
        /// The limit.
        over: OverBudget,
    },
    /// An error or a panic of naga's writer.
    #[error("naga cannot write the program: {0}")]
    Naga(String),
}

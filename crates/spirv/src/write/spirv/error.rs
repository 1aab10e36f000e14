//! Why a program cannot be written as SPIR-V.

use anywarp_program::work::OverBudget;

/// A program that SPIR-V, or the version of it that was asked for, cannot say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpirvError {
    /// No such version.
    #[error("there is no SPIR-V {0}.{1}; 1.0 to 1.6 can be written")]
    Version(u8, u8),
    /// No such entry point.
    #[error("there is no entry point `{name}`; the program has {known}")]
    EntryPoint {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A pipeline-overridable constant that cannot be what it should.
    #[error("{0}")]
    Constant(String),
    /// Something that the version has no words for.
    #[error("{what} needs {needs}")]
    Unsupported {
        /// The construct.
        what: String,
        /// What would have it.
        needs: String,
    },
    /// More work or words than the options allow.
    #[error("{place} takes {over} to write; raise the limit with `{}` (`SpirvOptions::limits`)", .over.option())]
    OverBudget {
        /// The function, or the whole module.
        place: String,
        /// The limit.
        over: OverBudget,
    },
    /// naga's writer refuses or fails.
    #[error("naga cannot write the program: {0}")]
    Naga(String),
}

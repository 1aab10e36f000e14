//! Why a program cannot be written as SPIR-V.

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
    /// naga's writer refuses or fails.
    #[error("naga cannot write the program: {0}")]
    Naga(String),
}

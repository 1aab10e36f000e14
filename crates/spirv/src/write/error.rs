//! Why a program could not be written.
//!
//! Each message is one lower-case sentence in the names of the user's program.

use anywarp_program::work::OverBudget;

/// A program that cannot be said in the language asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Something that the dialect has no words for.
    #[error("{place} uses {what}, which {dialect} WGSL cannot say")]
    Unsupported {
        /// The construct.
        what: String,
        /// The declaration it is in.
        place: String,
        /// The dialect's name.
        dialect: &'static str,
    },
    /// A layout of memory that no WGSL declaration has.
    #[error("{ty} cannot be laid out by WGSL: {member} is at offset {offset}, but {why}")]
    Layout {
        /// The type.
        ty: String,
        /// The member or element.
        member: String,
        /// Its byte offset in the type.
        offset: u32,
        /// What stands against it.
        why: String,
    },
    /// Initial values that nest too deeply to be written without end.
    #[error("{place} nests deeper than {limit} expressions")]
    TooDeep {
        /// The declaration.
        place: String,
        /// The greatest depth that is written.
        limit: usize,
    },
    /// Statements that nest too deeply for WGSL.
    #[error("{place} nests braces deeper than {limit}, which is WGSL's limit")]
    TooNested {
        /// The declaration.
        place: String,
        /// The greatest depth that WGSL takes.
        limit: usize,
    },
    /// Cases of a `switch` that fall through, whose copies would become too much text.
    #[error(
        "{place} has cases that fall through, whose copies would be more than {limit} bytes of WGSL"
    )]
    TooMuchText {
        /// The declaration.
        place: String,
        /// The most that copies may take.
        limit: usize,
    },
    /// More work or text than the options allow.
    #[error("{place} takes {over} to write; raise the limit with `{}` (`WgslOptions::limits`)", .over.option())]
    OverBudget {
        /// The declaration that passed the limit.
        place: String,
        /// The limit.
        over: OverBudget,
    },
    /// Something that SPIR-V cannot say.
    #[error(transparent)]
    Spirv(#[from] super::SpirvError),
}

//! Errors of the WGSL writer.
//!
//! Each message is one lower-case sentence in the names of the user's program.

use anywarp_program::work::OverBudget;

/// Why a program cannot be written in the requested language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A construct that the dialect cannot express.
    #[error("{place} uses {what}, which {dialect} WGSL cannot say")]
    Unsupported {
        /// The construct.
        what: String,
        /// The declaration that contains it.
        place: String,
        /// The dialect's name.
        dialect: &'static str,
    },
    /// A memory layout that no WGSL declaration has.
    #[error("{ty} cannot be laid out by WGSL: {member} is at offset {offset}, but {why}")]
    Layout {
        /// The type.
        ty: String,
        /// The member or element.
        member: String,
        /// Its byte offset in the type.
        offset: u32,
        /// Why WGSL cannot express it.
        why: String,
    },
    /// Initial values nested too deeply: module scope has no `let` to split them.
    #[error("{place} nests deeper than {limit} expressions")]
    TooDeep {
        /// The declaration.
        place: String,
        /// The maximal depth that is written.
        limit: usize,
    },
    /// Statements nested too deeply for WGSL.
    #[error("{place} nests braces deeper than {limit}, which is WGSL's limit")]
    TooNested {
        /// The declaration.
        place: String,
        /// The maximal depth that WGSL accepts.
        limit: usize,
    },
    /// Fallthrough cases of a `switch` whose copies would become too large.
    #[error(
        "{place} has cases that fall through, whose copies would be more than {limit} bytes of WGSL"
    )]
    TooMuchText {
        /// The declaration.
        place: String,
        /// The maximal size of the copies in bytes.
        limit: usize,
    },
    /// A work limit of the options was exceeded.
    #[error("{place} takes {over} to write; raise the limit with `{}` (`WgslOptions::limits`)", .over.option())]
    OverBudget {
        /// The declaration at which the limit was exceeded.
        place: String,
        /// The limit.
        over: OverBudget,
    },
}

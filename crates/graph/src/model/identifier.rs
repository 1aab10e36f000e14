//! Valid names of records, fields, outputs and nodes.
//!
//! These names become parts of the names of generated WGSL functions, so they are ASCII
//! identifiers. They need no check against WGSL's reserved words, since they never occur alone.

/// Whether a name has only letters, digits and underscores, begins with a letter, and has no two
/// underscores in a row.
pub(crate) fn is_legal(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !name.contains("__")
        && name.len() <= MAX_LENGTH
}

/// The maximum length of a name. WGSL has no limit, but messages and labels must stay readable.
const MAX_LENGTH: usize = 255;

//! Which names may become parts of WGSL names.
//!
//! Names of records, fields, outputs and nodes are glued into the names of generated functions, so
//! they are plain ASCII identifiers. A part needs no check against WGSL's reserved words, since it
//! never stands alone.

/// Letters, digits and underscores, not beginning with a digit, without two underscores in a row.
pub(crate) fn is_legal(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !name.contains("__")
        && name.len() <= MAX_LENGTH
}

/// The longest name. WGSL has no limit, but messages and labels should stay readable.
const MAX_LENGTH: usize = 255;

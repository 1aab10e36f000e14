//! Cleans naga's error messages of internal details.
//!
//! In: an error and its chain of sources. Out: the innermost message without arena indices and without the bodies of
//! `Debug` output. This is the fallback: `validation` words the common errors itself.

use std::error::Error;

/// The cleaned message of the innermost error.
pub(super) fn cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    super::sentence(&clean(&innermost.to_string()))
}

/// Removes arena indices (`[3]`) and the bodies of `Debug` output (`{ .. }`) from a message.
fn clean(message: &str) -> String {
    let mut cleaned = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(open) = rest.find(['[', '{']) {
        let Some(length) = group_length(&rest[open..]) else {
            break;
        };
        let group = &rest[open + 1..open + length - 1];
        let before = &rest[..open];
        let is_index = rest[open..].starts_with('[') && group.bytes().all(|b| b.is_ascii_digit());
        if is_index && before.ends_with("member") {
            // This is a member index, which means something to the user.
            cleaned.push_str(&format!("{before} {group}"));
        } else if is_index || rest[open..].starts_with('{') {
            cleaned.push_str(before.trim_end());
        } else {
            cleaned.push_str(&rest[..open + length]);
        }
        rest = &rest[open + length..];
    }
    cleaned.push_str(rest);
    cleaned
}

/// Length of the balanced bracket group at the start of `text`.
fn group_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_and_debug_output_are_cleaned_away() {
        for (message, expected) in [
            ("nothing to do", "nothing to do"),
            ("Splatting [12] can't be done", "Splatting can't be done"),
            (
                "type Vector { size: Quad, scalar: Scalar { kind: Float } } is wrong",
                "type Vector is wrong",
            ),
            (
                "The struct member[1] offset 4",
                "The struct member 1 offset 4",
            ),
            ("unclosed [1", "unclosed [1"),
        ] {
            assert_eq!(clean(message), expected);
        }
    }
}

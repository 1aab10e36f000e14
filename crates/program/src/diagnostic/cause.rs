//! naga's messages without what only naga's authors can read.
//!
//! In: an error and its chain of sources. Out: the innermost message, with arena indices and the
//! bodies of `Debug` output taken out. It is the last resort: where an error's parts are known,
//! `validation` says it better.

use std::error::Error;

/// The message of the innermost error, cleaned.
pub(super) fn cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    super::sentence(&clean(&innermost.to_string()))
}

/// A message of naga without arena indices (`[3]`) and the bodies of `Debug` output (`{ .. }`).
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
            // Not an arena's index but a member's number, which a reader can count.
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

/// Bytes of the balanced group that `text` begins with.
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

//! Finds abstract literals: decimal literals without a type suffix.
//!
//! In: WGSL text and a range of it. Out: the ranges of the literals. Hexadecimal literals are skipped, and so are
//! digits inside identifiers.

use std::ops::Range;

/// The decimal literals without a suffix in a range.
pub(super) fn literals(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let byte = bytes[at];
        if !is_word_byte(&byte) && byte != b'.' {
            at += 1;
            continue;
        }
        let start = at;
        let length = decimal_length(&bytes[at..range.end]);
        at += length.max(1);
        let is_whole = length > 0 && !bytes[at..range.end].first().is_some_and(is_word_byte);
        if is_whole {
            found.push(start..at);
            continue;
        }
        // A name, a literal with a suffix, or a hexadecimal one.
        while at < range.end && is_word_byte(&bytes[at]) {
            at += 1;
        }
    }
    found
}

fn is_word_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii()
}

/// Length of the decimal literal at the start of `bytes`, without a suffix.
fn decimal_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut length = digits(0);
    let mut has_digits = length > 0;
    if bytes.get(length) == Some(&b'.') {
        let after = digits(length + 1);
        has_digits |= after > 0;
        length += 1 + after;
    }
    if !has_digits {
        return 0;
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_literals_without_a_type_are_found() {
        let text = "1.5, .5 2. 3 1e5 1.5E-3 1.0f 2h 3u 0x1p3 0x10 a1 vec3(4) b.x é5 1e";
        let found: Vec<&str> = literals(text, 0..text.len())
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(found, ["1.5", ".5", "2.", "3", "1e5", "1.5E-3", "4"]);
    }
}

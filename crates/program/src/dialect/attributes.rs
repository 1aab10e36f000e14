//! Finds `@diagnostic(..)` attributes on statements, which WGSL allows and naga does not.
//!
//! In: WGSL. Out: the byte ranges of these attributes, for blanking. What always holds: only well-formed attributes in
//! front of `if`, `for`, `while`, `loop`, `switch` and blocks are found. naga reports all others, and handles those on
//! functions. Blanking them does not change the result: they filter diagnostics about uniformity, and naga emits none
//! that can be filtered.

use std::ops::Range;

use crate::tokenizer::{Token, Tokens};

/// Byte ranges of the attributes on statements.
pub(super) fn of_statements(wgsl: &str) -> Vec<Range<usize>> {
    if !wgsl.contains("diagnostic") {
        return Vec::new();
    }
    let tokens: Vec<Token<'_>> = Tokens::new(wgsl).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        // A statement may have several attributes.
        let first = at;
        while let Some(length) = attribute_length(&tokens[at..]) {
            at += length;
        }
        let is_struct = first >= 2 && tokens[first - 2].text == "struct";
        if at > first && !is_struct && tokens.get(at).is_some_and(takes_attributes) {
            found.extend(
                tokens[first..at]
                    .iter()
                    .map(|token| token.start..token.end()),
            );
        }
        at += usize::from(at == first);
    }
    found
}

/// Whether a token begins a statement that may have attributes.
fn takes_attributes(token: &Token<'_>) -> bool {
    matches!(token.text, "{" | "if" | "for" | "while" | "loop" | "switch")
}

/// Number of tokens of the attribute at the start of `tokens`.
fn attribute_length(tokens: &[Token<'_>]) -> Option<usize> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let is_severity = matches!(text(3), "off" | "info" | "warning" | "error");
    let begins = text(0) == "@" && text(1) == "diagnostic" && text(2) == "(";
    if !begins || !is_severity || text(4) != "," || !tokens.get(5)?.is_word() {
        return None;
    }
    let mut at = 6;
    if text(at) == "." && tokens.get(at + 1)?.is_word() {
        at += 2;
    }
    at += usize::from(text(at) == ",");
    (text(at) == ")").then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_of_statements_are_found() {
        let off = "@diagnostic(off, derivative_uniformity)";
        for (before, after, is_found) in [
            ("fn f() { ", " if true {} }", true),
            ("fn f() { ", " for (;;) {} }", true),
            ("fn f() { ", " while true {} }", true),
            ("fn f() { ", " loop { break; } }", true),
            ("fn f() { ", " switch 1 { default {} } }", true),
            ("fn f() { switch 1 ", " { default {} } }", true),
            ("fn f() { if true {} else ", " {} }", true),
            ("fn f() { ", " {} }", true),
            ("fn f() ", " {}", true),
            ("fn f() { ", " let x = 1; }", false),
            ("", " fn f() {}", false),
            ("struct S ", " { a: u32 }", false),
            ("// ", " if", false),
        ] {
            let text = format!("{before}{off}{after}");
            let found = of_statements(&text);
            assert_eq!(!found.is_empty(), is_found, "{text}");
            if let (Some(first), Some(last)) = (found.first(), found.last()) {
                assert_eq!(&text[first.start..last.end], off);
            }
        }
    }

    #[test]
    fn what_is_malformed_is_left_alone() {
        for text in [
            "@diagnostic(off) {}",
            "@diagnostic(loud, a) {}",
            "@diagnostic(off, a.) {}",
            "@diagnostic(off, a {}",
            "@diagnostic",
            "@diagnostic(off,",
        ] {
            assert_eq!(of_statements(text), [], "{text}");
        }
        let several = "@diagnostic(off,a.b,)@diagnostic(error, c) /* d */ {}";
        assert_eq!(of_statements(several).len(), 17);
    }
}

//! Escapes untrusted text for terminals.
//!
//! In: names, messages and printed text, which are under the control of a module's author. Out: the
//! text with control characters and bidirectional overrides escaped, so that it cannot move the
//! cursor, fake a line of our output or reverse the text direction. Every message and listing
//! passes through here.

use std::borrow::Cow;

/// Whether a terminal would interpret a character instead of showing it.
fn is_active_character(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Line separators and bidirectional formatting characters.
            '\u{2028}' | '\u{2029}' | '\u{61c}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn replace(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_replaced = |c: char| is_active_character(c) && !is_kept(c);
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_replaced(c) {
            true => escaped.extend(c.escape_unicode()),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// Escapes text to one line: control characters become `\u{1b}` and the like.
pub fn escape(text: &str) -> Cow<'_, str> {
    replace(text, |_| false)
}

/// As [`escape`], but keeps line breaks and tabs: for the output of kernels.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    replace(text, |c| matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_escaped() {
        assert!(matches!(escape("plain `ä` \\ \""), Cow::Borrowed(_)));
        let text = "a\nb\t\u{1b}[2J\u{7f}\u{9b}\r\0\u{202e}c";
        let end = r"\u{1b}[2J\u{7f}\u{9b}\u{d}\u{0}\u{202e}c";
        assert_eq!(escape(text), format!(r"a\u{{a}}b\u{{9}}{end}"));
        assert_eq!(escape_lines(text), format!("a\nb\t{end}"));
    }
}

//! Text that comes from modules, made fit for a terminal.
//!
//! Names, messages and prints are whatever a module's author liked. Shown as they are they could move
//! the cursor, fake a line of ours or turn the text around, so every message and listing takes them
//! through here.

use std::borrow::Cow;

/// Whether a terminal would do something else with a character than show it.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Ends of lines, and what changes the direction of text.
            '\u{2028}' | '\u{2029}' | '\u{61c}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn replace(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_replaced = |c: char| acts(c) && !is_kept(c);
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_replaced(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Text on one line: control characters become `\u{1b}` and the like.
pub fn escape(text: &str) -> Cow<'_, str> {
    replace(text, |_| false)
}

/// The same, but ends of lines and tabs stay: for what kernels print.
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

//! A coarse tokenizer for WGSL.
//!
//! In: any text. Out: words, numbers and single punctuation characters with byte offsets. Comments and blanks are
//! skipped by WGSL's rules: block comments nest, and every line break of the specification ends a line comment. What
//! always holds: tokens are in order, do not overlap and lie on character boundaries. Invalid characters become
//! punctuation tokens; naga reports them.

/// A token: its byte offset and text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) start: usize,
    pub(crate) text: &'a str,
}

impl Token<'_> {
    /// The byte offset after the token.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether the token is an identifier or a keyword.
    pub(crate) fn is_word(&self) -> bool {
        self.text.starts_with(is_word_start)
    }
}

/// The tokens of a text.
pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_trivia(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches(is_blank).len();
            let skipped = if blank > 0 {
                blank
            } else if rest.starts_with("//") {
                rest.find(is_line_break).unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                block_comment_length(rest)
            } else {
                return;
            };
            self.at += skipped;
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_trivia();
        let rest = self.rest();
        let first = rest.chars().next()?;
        let length = if is_word_start(first) || first.is_ascii_digit() {
            rest.find(|c| !is_word_part(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let start = self.at;
        self.at += length;
        Some(Token {
            start,
            text: &rest[..length],
        })
    }
}

/// Length of the block comment at the start of `text`; an unclosed one extends to the end.
fn block_comment_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Blank code points of the WGSL specification.
fn is_blank(c: char) -> bool {
    is_line_break(c) || matches!(c, ' ' | '\t' | '\u{200e}' | '\u{200f}')
}

/// Line breaks of the WGSL specification.
pub(crate) fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

// WGSL identifiers follow XID_Start and XID_Continue. Accepting all alphanumeric characters is enough to find the end
// of a word; naga decides whether it is an identifier.
fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_word_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        Tokens::new(text).map(|token| token.text).collect()
    }

    #[test]
    fn words_numbers_and_punctuation() {
        assert_eq!(
            texts("fn f() -> vec2<f32> { 0x1F }"),
            [
                "fn", "f", "(", ")", "-", ">", "vec2", "<", "f32", ">", "{", "0x1F", "}"
            ]
        );
    }

    #[test]
    fn comments_are_passed_over() {
        assert_eq!(texts("a // b\n/* c /* d */ e */ f"), ["a", "f"]);
        assert_eq!(texts("a // b\u{2028}c"), ["a", "c"]);
        assert_eq!(texts("a /* never closed"), ["a"]);
        assert_eq!(texts("a /"), ["a", "/"]);
    }

    #[test]
    fn offsets_are_bytes() {
        let token = Tokens::new("/* ü */ größe;").next().unwrap();
        assert_eq!((token.start, token.text, token.end()), (9, "größe", 16));
    }
}

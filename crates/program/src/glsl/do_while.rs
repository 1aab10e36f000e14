//! Refuses `continue` in `do { .. } while (..)`, which naga translates as a jump past the condition.
//!
//! In: tokens of a text that naga has accepted, so statements are well-formed. Out: a diagnostic at the first such
//! `continue`. Statements are walked by recursive descent, no deeper than naga's own parser.

use pp_rs::token::Punct;

use super::tokens::Tokens;
use crate::diagnostic::FRONT_END_LIMIT;
use crate::{Diagnostic, Source};

/// Refuses a `continue` whose innermost loop is a `do` loop.
pub(super) fn check(tokens: &Tokens, source: &Source) -> Result<(), Diagnostic> {
    let mut walk = ContinueSearch {
        tokens,
        at: 0,
        found: None,
    };
    while walk.at < tokens.len() && walk.found.is_none() {
        if tokens.is_word(walk.at, "do") {
            walk.statement(false);
        } else {
            walk.at += 1;
        }
    }
    let Some(at) = walk.found else {
        return Ok(());
    };
    Err(Diagnostic::new(
        "`continue` in a `do` loop cannot be read",
        [(tokens.place(at), String::new())],
        vec![
            FRONT_END_LIMIT.to_owned(),
            "`for (bool again = true; again; again = condition)` does the same".to_owned(),
        ],
        Some(source),
    ))
}

struct ContinueSearch<'a> {
    tokens: &'a Tokens,
    at: usize,
    /// The first `continue` in a `do` loop.
    found: Option<usize>,
}

impl ContinueSearch<'_> {
    /// Walks one statement; `in_do`: the innermost loop is a `do` loop.
    fn statement(&mut self, mut in_do: bool) {
        while self.at < self.tokens.len() && self.found.is_none() {
            match self.tokens.word(self.at) {
                Some("do") => {
                    self.at += 1;
                    self.statement(true);
                    return self.simple();
                }
                Some("for" | "while") => {
                    self.head();
                    in_do = false;
                }
                Some("switch") => self.head(),
                Some("else") => self.at += 1,
                Some("if") => {
                    self.head();
                    self.statement(in_do);
                    if !self.tokens.is_word(self.at, "else") {
                        return;
                    }
                }
                Some("case" | "default") => self.to(Punct::Colon),
                Some("continue") if in_do => self.found = Some(self.at),
                _ if self.tokens.is_sign(self.at, Punct::LeftBrace) => return self.block(in_do),
                _ => return self.simple(),
            }
        }
    }

    fn block(&mut self, in_do: bool) {
        let end = self.tokens.partner(self.at);
        self.at += 1;
        // A label directly before the closing brace has no statement.
        while self.at < end && self.found.is_none() {
            if matches!(self.tokens.word(self.at), Some("case" | "default")) {
                self.to(Punct::Colon);
            } else {
                self.statement(in_do);
            }
        }
        self.at = end + 1;
    }

    /// Skips a keyword and the bracket group after it.
    fn head(&mut self) {
        self.at = self.tokens.partner(self.at + 1) + 1;
    }

    /// Skips a statement that contains no other.
    fn simple(&mut self) {
        self.to(Punct::Semicolon);
    }

    /// Skips to the token after a punctuator, bracket groups as a whole.
    fn to(&mut self, sign: Punct) {
        while self.at < self.tokens.len() && !self.tokens.is_sign(self.at, sign) {
            self.at = self.tokens.partner(self.at).max(self.at) + 1;
        }
        self.at += 1;
    }
}

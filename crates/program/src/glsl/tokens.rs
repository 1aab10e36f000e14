//! The preprocessed tokens of a GLSL text, with matched brackets.
//!
//! In: text with bounded macro expansion. Out: its tokens after expansion, and for each bracket the matching one. What
//! always holds: a token's range is in the user's text; a bracket without a match is matched with itself.

use std::ops::Range;

use pp_rs::pp::Preprocessor;
use pp_rs::token::{Punct, Token, TokenValue};

/// The preprocessed tokens of a text.
pub(super) struct Tokens {
    all: Vec<Token>,
    partners: Vec<usize>,
}

impl Tokens {
    /// The tokens outside directives. Errors of the preprocessor are skipped: naga reports them.
    pub(super) fn of(text: &str) -> Self {
        let is_code = |token: &Token| {
            matches!(
                token.value,
                TokenValue::Ident(_)
                    | TokenValue::Integer(_)
                    | TokenValue::Float(_)
                    | TokenValue::Punct(_)
            )
        };
        let all: Vec<Token> = Preprocessor::new(text)
            .filter_map(Result::ok)
            .filter(is_code)
            .collect();
        let partners = partners(&all);
        Self { all, partners }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The identifier or keyword at an index.
    pub(super) fn word(&self, at: usize) -> Option<&str> {
        match &self.all.get(at)?.value {
            TokenValue::Ident(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn is_word(&self, at: usize, word: &str) -> bool {
        self.word(at) == Some(word)
    }

    /// The punctuator at an index.
    pub(super) fn sign(&self, at: usize) -> Option<Punct> {
        match self.all.get(at)?.value {
            TokenValue::Punct(sign) => Some(sign),
            _ => None,
        }
    }

    pub(super) fn is_sign(&self, at: usize, sign: Punct) -> bool {
        self.sign(at) == Some(sign)
    }

    /// The integer literal at an index.
    pub(super) fn integer(&self, at: usize) -> Option<u64> {
        match &self.all.get(at)?.value {
            TokenValue::Integer(integer) => Some(integer.value),
            _ => None,
        }
    }

    /// The index of the matching bracket.
    pub(super) fn partner(&self, at: usize) -> usize {
        self.partners.get(at).copied().unwrap_or(at)
    }

    /// The indices of all occurrences of a word.
    pub(super) fn places_of<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        (0..self.len()).filter(move |&at| self.is_word(at, word))
    }

    /// The byte range of a token.
    pub(super) fn place(&self, at: usize) -> Range<usize> {
        self.all.get(at).map_or(0..1, |token| {
            token.location.start as usize..token.location.end as usize
        })
    }
}

fn partners(tokens: &[Token]) -> Vec<usize> {
    let mut partners: Vec<usize> = (0..tokens.len()).collect();
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.value {
            TokenValue::Punct(Punct::LeftParen | Punct::LeftBracket | Punct::LeftBrace) => {
                open.push(at);
            }
            TokenValue::Punct(Punct::RightParen | Punct::RightBracket | Punct::RightBrace) => {
                if let Some(start) = open.pop() {
                    partners[start] = at;
                    partners[at] = start;
                }
            }
            _ => {}
        }
    }
    partners
}

//! GLSL text as the preprocessor's tokens, with the brackets matched.
//!
//! In: text whose expansion was bounded before. Out: its tokens with macros expanded, and for each bracket its partner.
//! What always holds: a token's place is in the user's text; a bracket without a partner is its own.

use std::ops::Range;

use pp_rs::pp::Preprocessor;
use pp_rs::token::{Punct, Token, TokenValue};

/// The tokens of a text.
pub(super) struct Tokens {
    all: Vec<Token>,
    partners: Vec<usize>,
}

impl Tokens {
    /// The tokens without directives. naga meets the preprocessor's errors, too, and reports them.
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

    /// The word at an index, if there is one.
    pub(super) fn word(&self, at: usize) -> Option<&str> {
        match &self.all.get(at)?.value {
            TokenValue::Ident(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn is_word(&self, at: usize, word: &str) -> bool {
        self.word(at) == Some(word)
    }

    /// The sign at an index, if there is one.
    pub(super) fn sign(&self, at: usize) -> Option<Punct> {
        match self.all.get(at)?.value {
            TokenValue::Punct(sign) => Some(sign),
            _ => None,
        }
    }

    pub(super) fn is_sign(&self, at: usize, sign: Punct) -> bool {
        self.sign(at) == Some(sign)
    }

    /// The integer at an index, if there is one.
    pub(super) fn integer(&self, at: usize) -> Option<u64> {
        match &self.all.get(at)?.value {
            TokenValue::Integer(integer) => Some(integer.value),
            _ => None,
        }
    }

    /// The other bracket of a pair.
    pub(super) fn partner(&self, at: usize) -> usize {
        self.partners.get(at).copied().unwrap_or(at)
    }

    /// Indices of a word.
    pub(super) fn places_of<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        (0..self.len()).filter(move |&at| self.is_word(at, word))
    }

    /// Where a token is in the text.
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

//! Integer constant expressions and the declared names, for both languages.
//!
//! In: tokens. Out: the values of constants and of array lengths, as far as they are literals, known constants or
//! arithmetic on these. What always holds: a name with several values has none.

use std::collections::HashMap;

use super::super::{Limit, LimitExceeded};
use super::TypeLayout;
use crate::tokenizer::Token;

/// The tokens, and the declared constants and types.
pub(super) struct Parser<'a> {
    pub(super) tokens: &'a [Token<'a>],
    /// Integer constants; `None` for names with several values.
    constants: HashMap<&'a str, Option<i64>>,
    /// Structures and aliases; `None` for names with several definitions.
    pub(super) types: HashMap<&'a str, Option<TypeLayout>>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(tokens: &'a [Token<'a>]) -> Self {
        Self {
            tokens,
            constants: HashMap::new(),
            types: HashMap::new(),
        }
    }

    pub(super) fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_word)
    }

    pub(super) fn define(&mut self, name: &'a str, value: Option<i64>) {
        let known = self.constants.entry(name).or_insert(value);
        if *known != value {
            *known = None;
        }
    }

    pub(super) fn define_type(&mut self, name: &'a str, layout: TypeLayout) {
        let known = self.types.entry(name).or_insert(Some(layout));
        if *known != Some(layout) {
            *known = None;
        }
    }

    /// Parses an integer constant expression by precedence climbing. Returns its value, computed as in 32 bits without
    /// overflow, and the index after it.
    pub(super) fn value(&self, at: usize, min_precedence: u8) -> Option<(i64, usize)> {
        let (mut left, mut next) = self.operand(at)?;
        while let Some((operator, tokens)) = self.operator(next) {
            let precedence = match operator {
                '*' | '/' | '%' => 3,
                '+' | '-' => 2,
                _ => 1,
            };
            if precedence < min_precedence {
                break;
            }
            let (right, end) = self.value(next + tokens, precedence + 1)?;
            left = apply(operator, left, right)?;
            next = end;
        }
        Some((left, next))
    }

    fn operand(&self, at: usize) -> Option<(i64, usize)> {
        match self.text(at) {
            "(" => {
                let (value, end) = self.value(at + 1, 0)?;
                (self.text(end) == ")").then_some((value, end + 1))
            }
            text if self.is_word(at) => Some(((*self.constants.get(text)?)?, at + 1)),
            text => Some((literal(text)?, at + 1)),
        }
    }

    /// An operator and its number of tokens: `<<` is one token of the GLSL preprocessor and two tokens of the WGSL
    /// tokenizer.
    fn operator(&self, at: usize) -> Option<(char, usize)> {
        match self.text(at) {
            "+" => Some(('+', 1)),
            "-" => Some(('-', 1)),
            "*" => Some(('*', 1)),
            "/" => Some(('/', 1)),
            "%" => Some(('%', 1)),
            "<<" => Some(('<', 1)),
            ">>" => Some(('>', 1)),
            "<" if self.text(at + 1) == "<" => Some(('<', 2)),
            _ => None,
        }
    }

    pub(super) fn exceeded(
        &self,
        name: &str,
        bytes: u64,
        limit: u64,
        at: usize,
        end: usize,
    ) -> Option<LimitExceeded> {
        let (first, last) = (self.tokens.get(at)?, self.tokens.get(end)?);
        let kind = Limit::Bytes {
            name: name.to_owned(),
            bytes,
            limit,
        };
        let range = first.start..last.end().max(first.end());
        (bytes > limit).then_some(LimitExceeded { limit: kind, range })
    }
}

fn apply(operator: char, left: i64, right: i64) -> Option<i64> {
    let result = match operator {
        '+' => left.checked_add(right),
        '-' => left.checked_sub(right),
        '*' => left.checked_mul(right),
        '/' => left.checked_div(right),
        '%' => left.checked_rem(right),
        '<' => left.checked_mul(1 << u32::try_from(right).ok().filter(|amount| *amount < 32)?),
        _ => left.checked_shr(u32::try_from(right).ok()?),
    };
    result.filter(|value| (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(value))
}

fn literal(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'i']);
    let (digits, radix) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (digits, 8),
        None => (digits, 10),
    };
    let value = u32::from_str_radix(digits, radix).ok()?;
    Some(value.into())
}

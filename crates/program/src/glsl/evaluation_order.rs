//! Refuses side effects that naga evaluates more often than GLSL.
//!
//! In: tokens of a text that naga has accepted, and its module. Out: a diagnostic at the first side effect in the right
//! operand of `&&` or `||`, which naga always evaluates, or in the target of a compound assignment, which naga
//! evaluates twice. What always holds: a text without side effects in these places is not refused.

use std::ops::Range;

use naga::Module;
use pp_rs::token::Punct;

use super::effects::Effects;
use super::tokens::Tokens;
use crate::diagnostic::FRONT_END_LIMIT;
use crate::{Diagnostic, Source};

/// Refuses side effects that naga would repeat or not skip.
pub(super) fn check(tokens: &Tokens, module: &Module, source: &Source) -> Result<(), Diagnostic> {
    let effects = places(tokens, &Effects::of(module));
    if effects.is_empty() {
        return Ok(());
    }
    let check = EvaluationOrderCheck { tokens, effects };
    for at in 0..tokens.len() {
        let (place, what, how) = match tokens.sign(at) {
            Some(sign @ (Punct::LogicalAnd | Punct::LogicalOr)) => {
                let place = check.first(check.right_operand(at, sign));
                let sign = if sign == Punct::LogicalAnd {
                    "&&"
                } else {
                    "||"
                };
                let what =
                    format!("the right operand of `{sign}` has an effect, and cannot be read");
                (place, what, "evaluate it in an `if` of its own")
            }
            Some(sign) if is_compound(sign) => {
                let what = "the target of an assignment with an operator has an effect, and cannot be read";
                (
                    check.in_target(at),
                    what.to_owned(),
                    "evaluate the index before",
                )
            }
            _ => continue,
        };
        if let Some(effect) = place {
            let labels = [(tokens.place(effect), String::new())];
            let notes = vec![FRONT_END_LIMIT.to_owned(), how.to_owned()];
            return Err(Diagnostic::new(&what, labels, notes, Some(source)));
        }
    }
    Ok(())
}

struct EvaluationOrderCheck<'a> {
    tokens: &'a Tokens,
    /// Indices of tokens with side effects, ascending.
    effects: Vec<usize>,
}

impl EvaluationOrderCheck<'_> {
    /// The first side effect in a range.
    fn first(&self, range: Range<usize>) -> Option<usize> {
        let next = self.effects.partition_point(|effect| *effect < range.start);
        self.effects
            .get(next)
            .copied()
            .filter(|effect| *effect < range.end)
    }

    /// The right operand of `&&` or `||`: the tokens up to an operator of lower or equal precedence.
    fn right_operand(&self, operator: usize, sign: Punct) -> Range<usize> {
        let start = operator + 1;
        let mut at = start;
        while at < self.tokens.len() {
            match self.tokens.sign(at) {
                Some(
                    Punct::Question
                    | Punct::Colon
                    | Punct::Comma
                    | Punct::Semicolon
                    | Punct::RightParen
                    | Punct::RightBracket
                    | Punct::RightBrace
                    | Punct::LogicalOr,
                ) => break,
                Some(Punct::LogicalAnd | Punct::LogicalXor) if sign == Punct::LogicalAnd => break,
                _ => at = self.tokens.partner(at).max(at) + 1,
            }
        }
        start..at
    }

    /// The side effect in the left side of an assignment: a name with members, indices and bracket groups.
    fn in_target(&self, operator: usize) -> Option<usize> {
        let mut at = operator.checked_sub(1)?;
        loop {
            let start = self.tokens.partner(at).min(at);
            if let Some(effect) = self.first(start..at + 1) {
                return Some(effect);
            }
            let before = start.checked_sub(1)?;
            at = match self.tokens.sign(at) {
                Some(Punct::RightBracket) => before,
                Some(_) => return None,
                None if self.tokens.is_sign(before, Punct::Dot) => before.checked_sub(1)?,
                None => return None,
            };
        }
    }
}

/// Tokens with side effects: assignments, increments, calls of functions that write.
fn places(tokens: &Tokens, effects: &Effects<'_>) -> Vec<usize> {
    let has_effect = |at: &usize| match tokens.sign(*at) {
        Some(Punct::Increment | Punct::Decrement | Punct::Equal) => true,
        Some(sign) => is_compound(sign),
        None => {
            let name = tokens.word(*at).filter(|name| effects.has(name));
            name.is_some() && tokens.is_sign(at + 1, Punct::LeftParen)
        }
    };
    (0..tokens.len()).filter(has_effect).collect()
}

fn is_compound(sign: Punct) -> bool {
    matches!(
        sign,
        Punct::AddAssign
            | Punct::SubAssign
            | Punct::MulAssign
            | Punct::DivAssign
            | Punct::ModAssign
            | Punct::LeftShiftAssign
            | Punct::RightShiftAssign
            | Punct::AndAssign
            | Punct::XorAssign
            | Punct::OrAssign
    )
}

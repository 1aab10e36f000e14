//! Parses the values of a directive: numbers for inputs, expectations for outputs.

use crate::executor::Slot;
use crate::expectation::{Expectation, Within, places, word_count};
use crate::literal::Literal;
use crate::scalar::Scalar;
use crate::tolerance::Tolerance;

/// A binding, such as `0:1`.
pub(crate) fn parse_slot(text: &str) -> Result<Slot, String> {
    Slot::parse(text).ok_or_else(|| format!("`{text}` is no binding, such as 0:1"))
}

/// Input values: written like expectations, but each is one exact number, or `_` for zero.
pub(crate) fn words(tokens: &[&str]) -> Result<Vec<u32>, String> {
    let values = expectations(tokens, &[])?;
    let mut words = vec![0; word_count(&values)];
    for (bit, value) in places(&values) {
        let bits = match value.accepted.as_slice() {
            [literal] if value.within.is_none() => literal.bits(value.scalar),
            [] => 0,
            _ => return Err("an input is one number".to_owned()),
        };
        words[bit / 32] |= (bits as u32) << (bit % 32);
        if value.scalar.width() == 64 {
            words[bit / 32 + 1] |= (bits >> 32) as u32;
        }
    }
    Ok(words)
}

/// `f32 within NAME of 0:0  1 2*3 _ 4|5  u32 6 ...`; `=` repeats the usual expectation at its position.
pub(crate) fn expectations(
    tokens: &[&str],
    usual: &[Expectation],
) -> Result<Vec<Expectation>, String> {
    let mut found: Vec<Expectation> = Vec::new();
    let mut scalar = None;
    let mut within = None;
    let mut rest = tokens;
    while let [token, tail @ ..] = rest {
        rest = tail;
        if let Some(named) = Scalar::named(token) {
            scalar = Some(named);
            within = None;
        } else if *token == "within" {
            (within, rest) = parse_within(rest)?;
        } else if let Some(count) = parse_same(token) {
            let same = usual.get(found.len()..found.len() + count);
            found.extend_from_slice(same.ok_or("`=` stands for a value of `out` above")?);
        } else {
            let scalar = scalar.ok_or_else(|| format!("`{token}` has no type before it"))?;
            let (accepted, count) = parse_item(scalar, token)?;
            let expectation = Expectation {
                scalar,
                accepted,
                within: within.clone(),
            };
            found.extend(std::iter::repeat_n(expectation, count));
        }
    }
    if found.is_empty() {
        return Err("no values".to_owned());
    }
    check_halves(&found)?;
    Ok(found)
}

/// Values of 16 bits come in pairs: no other value begins inside a word, and no buffer ends there.
fn check_halves(values: &[Expectation]) -> Result<(), String> {
    let inside = |(bit, value): (usize, &Expectation)| bit % 32 != 0 && value.scalar.width() != 16;
    let widths: u32 = values.iter().map(|value| value.scalar.width()).sum();
    if !widths.is_multiple_of(32) || places(values).any(inside) {
        return Err("half a word is left over: pad it with `_`".to_owned());
    }
    Ok(())
}

fn parse_within<'a, 't>(tokens: &'a [&'t str]) -> Result<(Option<Within>, &'a [&'t str]), String> {
    let [name, rest @ ..] = tokens else {
        return Err("`within` what?".to_owned());
    };
    let tolerance =
        Tolerance::named(name).ok_or_else(|| format!("no tolerance is called `{name}`"))?;
    if tolerance.arguments == 0 {
        let within = Within {
            tolerance,
            arguments: Vec::new(),
        };
        return Ok((Some(within), rest));
    }
    match rest {
        ["of", rest @ ..] if rest.len() >= tolerance.arguments => {
            let (slots, rest) = rest.split_at(tolerance.arguments);
            let arguments = slots
                .iter()
                .map(|slot| parse_slot(slot))
                .collect::<Result<_, _>>()?;
            Ok((
                Some(Within {
                    tolerance,
                    arguments,
                }),
                rest,
            ))
        }
        _ => Err(format!(
            "{name} needs `of` and {} bindings",
            tolerance.arguments
        )),
    }
}

/// `=` or `=*count`.
fn parse_same(token: &str) -> Option<usize> {
    match token.strip_prefix('=')? {
        "" => Some(1),
        rest => rest.strip_prefix('*')?.parse().ok(),
    }
}

/// `_`, `1`, `1|2`, each with an optional `*count`.
fn parse_item(scalar: Scalar, token: &str) -> Result<(Vec<Literal>, usize), String> {
    let bad = || format!("`{token}` is no value here");
    let (values, count) = match token.split_once('*') {
        Some((values, count)) => (values, count.parse().map_err(|_| bad())?),
        None => (token, 1),
    };
    if values == "_" {
        return Ok((Vec::new(), count));
    }
    let accepted = values
        .split('|')
        .map(|value| Literal::parse(scalar, value).ok_or_else(bad))
        .collect::<Result<_, _>>()?;
    Ok((accepted, count))
}

//! Declarations and scopes of GLSL, for the weights of constants.
//!
//! In: tokens after macro expansion. Out: a [`LimitExceeded`], if any. GLSL declares names before
//! their use, so one pass suffices. A variable that shadows a constant is treated as the constant, which can only raise
//! the bound.

use super::expression::{Parser, Result, Scope};
use super::value::{Shape, Type};
use super::{Limit, LimitExceeded, MAX_MEMBERS};
use crate::nesting::Grammar;
use crate::tokenizer::Token;

pub(super) fn check(tokens: &[Token<'_>]) -> Result<()> {
    let mut reader = Parser::new(tokens, Grammar::Glsl);
    // The module scope is never left.
    reader.scopes.push(Scope::default());
    let mut at = 0;
    while at < tokens.len() {
        at = declaration(&mut reader, at)?.max(at + 1);
    }
    Ok(())
}

fn declaration(reader: &mut Parser<'_>, at: usize) -> Result<usize> {
    match reader.text(at) {
        "{" => reader.scopes.push(Scope::default()),
        "}" if reader.scopes.len() > 1 => drop(reader.scopes.pop()),
        "const" => return constants(reader, at + 1),
        "struct" if reader.text(at + 2) == "{" => return structure(reader, at + 1),
        _ => return reader.expression(at).map(|(_, next)| next),
    }
    Ok(at + 1)
}

/// Parses `type name[..] = value, ..`, with qualifiers before the type.
fn constants(reader: &mut Parser<'_>, at: usize) -> Result<usize> {
    let mut next = at;
    // The name is the last word before a bracket, an initializer or the end of a parameter.
    while reader.is_word(next + 1) {
        next += 1;
    }
    let mut ty = reader
        .types
        .get(reader.text(next.max(1) - 1))
        .cloned()
        .unwrap_or(Type::PLAIN);
    // `const float[2] a`.
    if next == at && reader.text(at + 1) == "[" {
        ty = reader
            .types
            .get(reader.text(at))
            .cloned()
            .unwrap_or(Type::PLAIN);
        let (shape, end) = sides(reader, at + 1, ty.shape)?;
        (ty.shape, next) = (shape, end);
    }
    loop {
        let name = next;
        let (shape, end) = sides(reader, name + 1, ty.shape.clone())?;
        if reader.text(end) != "=" {
            return Ok(end);
        }
        let (mut value, end) = reader.expression(end + 1)?;
        if shape.is_aggregate() {
            value.shape = shape;
        }
        let text = reader.text(name);
        reader.declare(text, value);
        if reader.text(end) != "," {
            return Ok(end);
        }
        next = end + 1;
    }
}

/// Parses `[2][4]`.
fn sides<'a>(reader: &mut Parser<'a>, at: usize, shape: Shape<'a>) -> Result<(Shape<'a>, usize)> {
    let (mut shape, mut next) = (shape, at);
    while reader.text(next) == "[" {
        let (_, end) = reader.list(next + 1, "]")?;
        (shape, next) = (shape.array(), end);
    }
    Ok((shape, next))
}

fn structure(reader: &mut Parser<'_>, at: usize) -> Result<usize> {
    let name = reader.text(at);
    let mut members = 0_u64;
    let mut ty = Type::PLAIN;
    let mut next = at + 2;
    while next < reader.tokens.len() && reader.text(next) != "}" {
        if let Some(known) = reader.types.get(reader.text(next)) {
            ty = known.clone();
        }
        let is_name = reader.is_word(next) && matches!(reader.text(next + 1), "," | ";" | "[");
        match reader.text(next) {
            ";" => ty = Type::PLAIN,
            _ if is_name => {
                members = members.saturating_add(ty.members);
                let (member, shape) = (reader.text(next), ty.shape.clone());
                let (shape, end) = sides(reader, next + 1, shape)?;
                reader.members.insert((name, member), shape);
                next = end;
                continue;
            }
            _ => {}
        }
        next += 1;
    }
    match reader.tokens.get(at) {
        Some(token) if members > MAX_MEMBERS => {
            return Err(LimitExceeded::new(Limit::Members(name.to_owned()), token));
        }
        _ => {}
    }
    let shape = Shape::Struct(name);
    reader.types.insert(name, Type { shape, members });
    Ok(next + 1)
}

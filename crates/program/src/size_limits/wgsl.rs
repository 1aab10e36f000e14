//! Declarations and scopes of WGSL, for the weights of constants.
//!
//! In: tokens. Out: a [`LimitExceeded`], if any. Module-scope declarations may be in any order,
//! so structures, aliases and constants are processed in topological order; functions come last.

use std::collections::HashMap;

use super::expression::{Parser, Result, Scope};
use super::value::{Type, ValueInfo};
use super::{Limit, LimitExceeded, MAX_MEMBERS};
use crate::nesting::Grammar;
use crate::tokenizer::Token;

/// A module-scope declaration.
struct Declaration<'a> {
    keyword: &'a str,
    name: &'a str,
    /// Index of the first token after the name.
    start: usize,
    /// Index of the token that ends it.
    end: usize,
}

pub(super) fn check(tokens: &[Token<'_>]) -> Result<()> {
    let mut reader = Parser::new(tokens, Grammar::Wgsl);
    let items = items(&reader);
    let has_overrides = items.iter().any(|item| item.keyword == "override");
    for item in &items {
        let value = match item.keyword {
            "override" => ValueInfo::LITERAL,
            _ => ValueInfo::RUNTIME,
        };
        if matches!(item.keyword, "override" | "var" | "fn") {
            reader.globals.insert(item.name, value);
        }
    }
    for index in in_order(&reader, &items) {
        declare(&mut reader, &items[index])?;
    }
    let mut at = 0;
    for item in &items {
        if matches!(item.keyword, "const" | "alias" | "struct") {
            mentions(&mut reader, at..item.start)?;
            at = item.end;
        } else if item.keyword == "fn" {
            mentions(&mut reader, at..item.start)?;
            function(&mut reader, item, has_overrides)?;
            at = item.end;
        }
    }
    mentions(&mut reader, at..tokens.len())
}

/// Charges uses in attributes, assertions and variables at module scope.
fn mentions(reader: &mut Parser<'_>, range: std::ops::Range<usize>) -> Result<()> {
    range.into_iter().try_for_each(|at| reader.mention(at))
}

fn items<'a>(reader: &Parser<'a>) -> Vec<Declaration<'a>> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < reader.tokens.len() {
        let keyword = reader.text(at);
        let name = match keyword {
            "const" | "alias" | "struct" | "fn" | "override" => at + 1,
            // `var<storage, read_write> name`.
            "var" if reader.text(at + 1) == "<" => find(reader, at, &[">"]) + 1,
            "var" => at + 1,
            _ => {
                at += 1;
                continue;
            }
        };
        let end = match keyword {
            "struct" => find(reader, name, &["}"]),
            "fn" => end_of_function(reader, name),
            _ => find(reader, name, &[";"]),
        };
        if reader.is_word(name) {
            items.push(Declaration {
                keyword,
                name: reader.text(name),
                start: name + 1,
                end,
            });
        }
        at = end.max(at) + 1;
    }
    items
}

/// The index of the first of these tokens, or the end.
fn find(reader: &Parser<'_>, at: usize, wanted: &[&str]) -> usize {
    let rest = reader.tokens.get(at..).unwrap_or_default();
    let found = rest.iter().position(|token| wanted.contains(&token.text));
    found.map_or(reader.tokens.len(), |found| at + found)
}

fn end_of_function(reader: &Parser<'_>, at: usize) -> usize {
    let mut depth = 0_u32;
    let mut next = find(reader, at, &["{"]);
    while next < reader.tokens.len() {
        match reader.text(next) {
            "{" => depth += 1,
            "}" if depth <= 1 => return next,
            "}" => depth -= 1,
            _ => {}
        }
        next += 1;
    }
    next
}

/// Structures, aliases and constants in topological order (uses after declarations), by depth-first search.
fn in_order(reader: &Parser<'_>, items: &[Declaration<'_>]) -> Vec<usize> {
    let is_ordered = |item: &Declaration<'_>| matches!(item.keyword, "const" | "alias" | "struct");
    let named = items
        .iter()
        .enumerate()
        .filter(|(_, item)| is_ordered(item));
    let places: HashMap<&str, usize> = named.map(|(index, item)| (item.name, index)).collect();
    let mut order = Vec::new();
    let mut is_seen = vec![false; items.len()];
    for first in 0..items.len() {
        if !is_ordered(&items[first]) {
            continue;
        }
        let mut open = vec![(first, items[first].start)];
        if std::mem::replace(&mut is_seen[first], true) {
            continue;
        }
        while let Some((item, at)) = open.pop() {
            let mut range = at..items[item].end.min(reader.tokens.len());
            let next = range.find_map(|at| {
                let used = *places.get(reader.text(at))?;
                (!is_seen[used]).then_some((used, at))
            });
            match next {
                None => order.push(item),
                Some((used, at)) => {
                    is_seen[used] = true;
                    open.extend([(item, at + 1), (used, items[used].start)]);
                }
            }
        }
    }
    order
}

fn declare<'a>(reader: &mut Parser<'a>, item: &Declaration<'a>) -> Result<()> {
    match item.keyword {
        "const" => {
            let (value, _) = initializer(reader, item.start)?;
            reader.globals.insert(item.name, value);
        }
        "alias" => {
            let (ty, _) = reader.ty(item.start + 1)?;
            reader.types.insert(item.name, ty.unwrap_or(Type::PLAIN));
        }
        _ => structure(reader, item)?,
    }
    Ok(())
}

fn structure<'a>(reader: &mut Parser<'a>, item: &Declaration<'a>) -> Result<()> {
    let mut members = 0_u64;
    let mut at = item.start;
    while at < item.end {
        match reader.text(at) {
            "(" => {
                let (_, next) = reader.list(at + 1, ")")?;
                at = next.max(at + 1);
            }
            ":" => {
                let (ty, next) = reader.ty(at + 1)?;
                let ty = ty.unwrap_or(Type::PLAIN);
                members = members.saturating_add(ty.members);
                let name = reader.text(at.saturating_sub(1));
                reader.members.insert((item.name, name), ty.shape);
                at = next.max(at + 1);
            }
            _ => at += 1,
        }
    }
    if members > MAX_MEMBERS {
        let token = &reader.tokens[item.start - 1];
        return Err(LimitExceeded::new(
            Limit::Members(item.name.to_owned()),
            token,
        ));
    }
    let shape = super::value::Shape::Struct(item.name);
    reader.types.insert(item.name, Type { shape, members });
    Ok(())
}

/// Parses `: type = value`; both parts are optional.
fn initializer<'a>(reader: &mut Parser<'a>, at: usize) -> Result<(ValueInfo<'a>, usize)> {
    let mut next = at;
    let mut declared = None;
    if reader.text(next) == ":" {
        (declared, next) = reader.ty(next + 1)?;
    }
    if reader.text(next) != "=" {
        return Ok((ValueInfo::RUNTIME, next));
    }
    let (mut value, next) = reader.expression(next + 1)?;
    if let Some(ty) = declared.filter(|ty| ty.shape.is_aggregate()) {
        value.shape = ty.shape;
    }
    Ok((value, next))
}

fn function<'a>(
    reader: &mut Parser<'a>,
    item: &Declaration<'a>,
    has_overrides: bool,
) -> Result<()> {
    let body = find(reader, item.start, &["{"]);
    let mut parameters = Scope {
        is_header: true,
        ..Scope::default()
    };
    for at in item.start..body.min(item.end) {
        match reader.text(at + 1) {
            ":" => drop(parameters.names.insert(reader.text(at), ValueInfo::RUNTIME)),
            _ => reader.mention(at)?,
        }
    }
    reader.scopes.push(parameters);
    let mut at = body;
    while at < item.end.min(reader.tokens.len()) {
        at = statement(reader, at, has_overrides)?.max(at + 1);
    }
    reader.scopes.clear();
    Ok(())
}

/// Parses a part of a function body and returns the index after it.
fn statement(reader: &mut Parser<'_>, at: usize, has_overrides: bool) -> Result<usize> {
    match reader.text(at) {
        "{" => reader.scopes.push(Scope::default()),
        "}" => reader.leave(),
        "for" => {
            reader.scopes.push(Scope {
                is_header: true,
                ..Scope::default()
            });
            return Ok(at + 2);
        }
        keyword @ ("const" | "let" | "var") => {
            let name = match (keyword, reader.text(at + 1)) {
                ("var", "<") => find(reader, at, &[">"]) + 1,
                _ => at + 1,
            };
            let (value, next) = initializer(reader, name + 1)?;
            let is_kept = keyword == "const" || (keyword == "let" && has_overrides);
            let value = if is_kept { value } else { ValueInfo::RUNTIME };
            let name = reader.text(name);
            reader.declare(name, value);
            return Ok(next);
        }
        "if" | "else" | "switch" | "case" | "default" | "while" | "loop" | "return" | "break"
        | "continue" | "continuing" | "discard" | "const_assert" => {}
        _ => return reader.expression(at).map(|(_, next)| next),
    }
    Ok(at + 1)
}

//! Corrects layouts that naga reads differently than GLSL, by predefined macros.
//!
//! In: the tokens of a text. Out: naga options with macros under which naga reads what GLSL means: push constant blocks
//! without a layout get `std430`, and `gl_WorkGroupSize` becomes a constant. What always holds: the tokens of a macro
//! have the source location of the word that it replaces.

use std::ops::Range;

use naga::ShaderStage;
use naga::front::glsl::Options;
use pp_rs::token::Punct;

use super::tokens::Tokens;
use crate::diagnostic::FRONT_END_LIMIT;
use crate::{Diagnostic, Source};

const PUSH_CONSTANT: &str = "push_constant";
const WORKGROUP_SIZE: &str = "gl_WorkGroupSize";
const LOCAL_SIZES: [&str; 3] = ["local_size_x", "local_size_y", "local_size_z"];

/// naga's options for a text, with the macros that it needs.
pub(super) fn options(
    tokens: &Tokens,
    stage: ShaderStage,
    source: &Source,
) -> Result<Options, Diagnostic> {
    let mut options = Options::from(stage);
    if let Some(place) = unnamed_push_layout(tokens, source)? {
        define(&mut options, PUSH_CONSTANT, "push_constant, std430", &place);
    }
    if let Some(size) = literal_size(tokens, source)? {
        define_workgroup_size(&mut options, tokens, size);
    }
    Ok(options)
}

/// Whether a text uses `gl_WorkGroupSize` and `options` do not define it.
pub(super) fn lacks_workgroup_size(options: &Options, tokens: &Tokens) -> bool {
    options.stage == ShaderStage::Compute
        && !options.defines.contains_key(WORKGROUP_SIZE)
        && tokens.places_of(WORKGROUP_SIZE).next().is_some()
}

/// Defines `gl_WorkGroupSize` as a constant, if the text uses it.
pub(super) fn define_workgroup_size(options: &mut Options, tokens: &Tokens, size: [u32; 3]) {
    let place = tokens.places_of(WORKGROUP_SIZE).next();
    if let Some(at) = place.filter(|_| options.stage == ShaderStage::Compute) {
        let [x, y, z] = size;
        let value = format!("uvec3({x}u, {y}u, {z}u)");
        define(options, WORKGROUP_SIZE, &value, &tokens.place(at));
    }
}

/// Adds a macro. The preprocessor counts locations from the start of the macro's text, so blanks pad it to its place.
fn define(options: &mut Options, name: &str, value: &str, place: &Range<usize>) {
    let value = " ".repeat(place.start) + value;
    options.defines.insert(name.to_owned(), value);
}

/// The range of the word `push_constant`, if no push constant block names its layout.
fn unnamed_push_layout(
    tokens: &Tokens,
    source: &Source,
) -> Result<Option<Range<usize>>, Diagnostic> {
    let mut unnamed = None;
    let mut named = None;
    for at in tokens.places_of(PUSH_CONSTANT) {
        if !is_in_layout(tokens, at) || names_layout(tokens, at) {
            named = Some(at);
        } else {
            unnamed = Some(at);
        }
    }
    match (unnamed, named) {
        (Some(_), Some(at)) => {
            let message = "`push_constant` can be read once, in a layout";
            let place = [(tokens.place(at), String::new())];
            let notes = vec![FRONT_END_LIMIT.to_owned()];
            Err(Diagnostic::new(message, place, notes, Some(source)))
        }
        (unnamed, _) => Ok(unnamed.map(|at| tokens.place(at))),
    }
}

/// Whether a word is in a `layout(..)` list.
fn is_in_layout(tokens: &Tokens, at: usize) -> bool {
    let open = (0..at)
        .rev()
        .find(|&token| tokens.is_sign(token, Punct::LeftParen));
    open.is_some_and(|paren| {
        paren > 0 && tokens.is_word(paren - 1, "layout") && tokens.partner(paren) > at
    })
}

/// Whether the declaration around a word names the layout of its block.
fn names_layout(tokens: &Tokens, at: usize) -> bool {
    let is_edge = |token: &usize| {
        matches!(
            tokens.sign(*token),
            Some(Punct::Semicolon | Punct::LeftBrace | Punct::RightBrace)
        )
    };
    let start = (0..at).rev().find(is_edge).unwrap_or(0);
    let end = (at..tokens.len()).find(is_edge).unwrap_or(tokens.len());
    (start..end).any(|token| matches!(tokens.word(token), Some("std140" | "std430" | "scalar")))
}

/// The workgroup size, if it consists of literals.
fn literal_size(tokens: &Tokens, source: &Source) -> Result<Option<[u32; 3]>, Diagnostic> {
    let mut size = [1; 3];
    for (dimension, name) in LOCAL_SIZES.into_iter().enumerate() {
        for at in tokens.places_of(name) {
            let is_whole = matches!(tokens.sign(at + 3), Some(Punct::Comma | Punct::RightParen));
            let number = tokens.integer(at + 2).filter(|_| is_whole);
            let Some(number) = number.and_then(|value| u32::try_from(value).ok()) else {
                return Ok(None);
            };
            if number == 0 && is_in_layout(tokens, at) {
                let place = [(tokens.place(at + 2), String::new())];
                let message = format!("`{name}` must be at least 1");
                return Err(Diagnostic::new(&message, place, Vec::new(), Some(source)));
            }
            size[dimension] = number;
        }
    }
    Ok(Some(size))
}

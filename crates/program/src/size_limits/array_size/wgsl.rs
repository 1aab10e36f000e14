//! Sizes of the array types of a WGSL text.
//!
//! In: tokens. Out: the first array type over the limit. Constants and aliases may be declared after their use.

use naga::valid::MAX_TYPE_SIZE;

use super::super::LimitExceeded;
use super::TypeLayout;
use super::glsl::plain_type;
use super::parser::Parser;
use crate::tokenizer::Token;

/// The first array type of a WGSL text over the limit.
pub(in super::super) fn large_array(tokens: &[Token<'_>]) -> Option<LimitExceeded> {
    let mut parser = Parser::new(tokens);
    // WGSL names may be used before their declaration: the second pass resolves constants that use later ones.
    for _ in 0..2 {
        for at in 0..tokens.len() {
            if parser.text(at) == "const" && parser.is_word(at + 1) {
                wgsl_constant(&mut parser, at + 1);
            }
        }
    }
    for at in 0..tokens.len() {
        if parser.text(at) == "alias" && parser.text(at + 2) == "=" {
            let (layout, _) = parser.wgsl_type(at + 3);
            parser.define_type(parser.text(at + 1), layout);
        }
    }
    (0..tokens.len())
        .filter(|&at| parser.text(at) == "array" && parser.text(at + 1) == "<")
        .find_map(|at| {
            let (layout, end) = parser.wgsl_type(at);
            let spelled: String = (at..end).map(|token| parser.text(token)).collect();
            let spelled = spelled.replace(',', ", ");
            parser.exceeded(&spelled, layout.size, MAX_TYPE_SIZE.into(), at, end - 1)
        })
}

/// Parses `name: type = value;`. Unknown constants are parsed again in the second pass.
fn wgsl_constant(parser: &mut Parser<'_>, name: usize) {
    let typed = if parser.text(name + 1) == ":" { 2 } else { 0 };
    if parser.text(name + 1 + typed) != "=" {
        return;
    }
    let value = parser.value(name + 2 + typed, 0);
    let value = value.filter(|(_, end)| parser.text(*end) == ";");
    if let Some((value, _)) = value {
        parser.define(parser.text(name), Some(value));
    }
}

impl Parser<'_> {
    /// Size and alignment of a WGSL type, and the index after it.
    fn wgsl_type(&self, at: usize) -> (TypeLayout, usize) {
        let name = self.text(at);
        let known = self.types.get(name).copied().flatten();
        let layout = known
            .or_else(|| wgsl_name(name))
            .unwrap_or(TypeLayout::UNKNOWN);
        if self.text(at + 1) != "<" {
            return (layout, at + 1);
        }
        let (element, next) = self.wgsl_type(at + 2);
        if name != "array" || self.text(next) != "," {
            let rows = wgsl_name(&format!("{name}f"));
            let layout = if name == "array" || name == "atomic" {
                Some(element)
            } else {
                rows
            };
            return (
                layout.unwrap_or(TypeLayout::UNKNOWN),
                self.after_template(next),
            );
        }
        let value = self.value(next + 1, 0);
        let length = value.and_then(|(value, _)| u64::try_from(value).ok());
        let end = self.after_template(value.map_or(next + 1, |(_, end)| end));
        (element.array(length.unwrap_or(1), 1), end)
    }

    fn after_template(&self, at: usize) -> usize {
        let rest =
            (at..self.tokens.len()).find(|&token| matches!(self.text(token), ">" | ";" | "{"));
        rest.map_or(self.tokens.len(), |end| end + 1)
    }
}

/// Size and alignment of a predeclared WGSL type name. `vec2<f16>` is counted with twice its size.
fn wgsl_name(name: &str) -> Option<TypeLayout> {
    match name {
        "i32" | "u32" | "f32" => return Some(TypeLayout::plain(1, 1, 4)),
        "f16" => return Some(TypeLayout::plain(1, 1, 2)),
        _ => {}
    }
    let width = match name.as_bytes().last()? {
        b'h' => 2,
        b'f' | b'i' | b'u' => 4,
        _ => return None,
    };
    let short = plain_type(&name[..name.len() - 1])?;
    Some(TypeLayout {
        size: short.size * width / 4,
        align: short.align * width / 4,
    })
}

//! Sizes of the types that a GLSL text declares, by a state machine over its tokens.
//!
//! In: tokens after macro expansion. Out: the first type over the limit. Arrays in blocks with the std140 layout have
//! its alignment.

use naga::valid::MAX_TYPE_SIZE;

use super::super::LimitExceeded;
use super::TypeLayout;
use super::parser::Parser;
use crate::tokenizer::Token;

/// Maximal size of a structure: naga computes member offsets in 32 bits.
const MAX_STRUCT_SIZE: u64 = u32::MAX as u64;

/// Alignment of arrays in the std140 layout.
const STD140: u64 = 16;

/// Maximal number of tokens of an array length.
const MAX_LENGTH: usize = 1 << 10;

/// The first type of a GLSL text over the limit.
pub(in super::super) fn check(tokens: &[Token<'_>]) -> Result<(), LimitExceeded> {
    let mut declarations = Declarations {
        parser: Parser::new(tokens),
        blocks: Vec::new(),
        base: None,
        brackets: 0,
        qualifiers: Qualifiers::default(),
    };
    let mut at = 0;
    while at < tokens.len() {
        at = declarations.token(at)?.max(at + 1);
    }
    Ok(())
}

/// A state machine over GLSL tokens.
struct Declarations<'a> {
    parser: Parser<'a>,
    /// The open braces.
    blocks: Vec<Block<'a>>,
    /// The type of the current declaration, and the bracket depth it is at.
    base: Option<(TypeLayout, usize)>,
    brackets: usize,
    qualifiers: Qualifiers,
}

/// Qualifiers that affect the size of a declaration.
#[derive(Clone, Copy, Default)]
struct Qualifiers {
    is_const: bool,
    is_uniform: bool,
    has_std140: bool,
    /// The block is declared `std430`, or is a push constant block, whose default layout is std430.
    has_std430: bool,
}

/// An open brace.
enum Block<'a> {
    /// Statements or an initializer.
    Other,
    /// A structure or an interface block: its name, and the layout of its members so far.
    Members {
        name: usize,
        ty: Option<&'a str>,
        layout: TypeLayout,
        min_align: u64,
    },
}

impl<'a> Declarations<'a> {
    /// Processes the token at an index and returns the index after it.
    fn token(&mut self, at: usize) -> Result<usize, LimitExceeded> {
        let text = self.parser.text(at);
        match text {
            "const" => self.qualifiers.is_const = true,
            "uniform" => self.qualifiers.is_uniform = true,
            "std140" => self.qualifiers.has_std140 = true,
            "std430" | "push_constant" => self.qualifiers.has_std430 = true,
            "(" | "[" => self.brackets += 1,
            ")" | "]" => self.close_bracket(),
            "{" => self.open_block(at),
            "}" => return self.close_block(at),
            ";" => self.end_declaration(),
            "," => return self.next_declarator(at),
            _ if at > 0 && self.parser.text(at - 1) == "." => {}
            _ => {
                if let Some(layout) = self.ty(text) {
                    return self.declaration(at, layout);
                }
            }
        }
        Ok(at + 1)
    }

    fn close_bracket(&mut self) {
        self.brackets = self.brackets.saturating_sub(1);
        let brackets = self.brackets;
        self.base.take_if(|(_, around)| *around > brackets);
    }

    fn end_declaration(&mut self) {
        self.base = None;
        self.qualifiers = Qualifiers::default();
    }

    fn open_block(&mut self, at: usize) {
        let before = |back: usize| {
            at.checked_sub(back)
                .map_or("", |token| self.parser.text(token))
        };
        let name = at.saturating_sub(1);
        let is_struct = before(2) == "struct";
        let is_block = matches!(before(2), "buffer" | "uniform" | "in" | "out");
        let block = if is_struct || is_block && self.parser.is_word(name) {
            let qualifiers = self.qualifiers;
            let is_std140 = is_struct
                || qualifiers.has_std140
                || qualifiers.is_uniform && !qualifiers.has_std430;
            Block::Members {
                name,
                ty: is_struct.then(|| self.parser.text(name)),
                layout: TypeLayout { size: 0, align: 1 },
                min_align: if is_std140 { STD140 } else { 1 },
            }
        } else {
            Block::Other
        };
        self.blocks.push(block);
        self.brackets += 1;
        self.qualifiers = Qualifiers::default();
    }

    fn close_block(&mut self, at: usize) -> Result<usize, LimitExceeded> {
        self.close_bracket();
        self.qualifiers.is_uniform = false;
        let Some(Block::Members {
            name, ty, layout, ..
        }) = self.blocks.pop()
        else {
            return Ok(at + 1);
        };
        let parser = &mut self.parser;
        let text = parser.text(name);
        if let Some(exceeded) = parser.exceeded(text, layout.size, MAX_STRUCT_SIZE, name, name) {
            return Err(exceeded);
        }
        let Some(ty) = ty else {
            return Ok(at + 1);
        };
        parser.define_type(ty, layout);
        // `struct S { .. } s[4];`
        self.base = Some((layout, self.brackets));
        if self.parser.is_word(at + 1) {
            self.declarator(at + 1)
        } else {
            Ok(at + 1)
        }
    }

    fn ty(&self, name: &str) -> Option<TypeLayout> {
        let known = self
            .parser
            .types
            .get(name)
            .map(|layout| layout.unwrap_or(TypeLayout::UNKNOWN));
        known.or_else(|| plain_type(name))
    }

    /// Parses `type[2] name[4]`.
    fn declaration(&mut self, at: usize, layout: TypeLayout) -> Result<usize, LimitExceeded> {
        let (lengths, next) = self.lengths(at + 1);
        let layout = self.check(at, layout, &lengths)?;
        // Without a name it is a constructor, possibly in an initializer.
        if !self.parser.is_word(next) {
            return Ok(next);
        }
        self.base = Some((layout, self.brackets));
        self.declarator(next)
    }

    /// Parses the name after a comma between declarators.
    fn next_declarator(&mut self, at: usize) -> Result<usize, LimitExceeded> {
        let is_same = self.base.is_some_and(|(_, around)| around == self.brackets);
        let is_name = self.parser.is_word(at + 1) && self.ty(self.parser.text(at + 1)).is_none();
        if is_same && is_name {
            return self.declarator(at + 1);
        }
        Ok(at + 1)
    }

    /// Parses `name[4]`, and the value of an integer constant.
    fn declarator(&mut self, name: usize) -> Result<usize, LimitExceeded> {
        let Some((base, _)) = self.base else {
            return Ok(name + 1);
        };
        let (lengths, next) = self.lengths(name + 1);
        let layout = self.check(name, base, &lengths)?;
        if let Some(Block::Members { layout: all, .. }) = self.blocks.last_mut() {
            let offset = all.size.checked_next_multiple_of(layout.align);
            all.size = offset.unwrap_or(u64::MAX).saturating_add(layout.size);
            all.align = all.align.max(layout.align);
        }
        if self.qualifiers.is_const && lengths.is_empty() && self.parser.text(next) == "=" {
            let value = self.parser.value(next + 1, 0);
            let value = value.filter(|(_, end)| matches!(self.parser.text(*end), "," | ";"));
            let text = self.parser.text(name);
            self.parser.define(text, value.map(|(value, _)| value));
        }
        Ok(next)
    }

    /// Parses `[2][4]`; an unknown length counts as 1.
    fn lengths(&self, at: usize) -> (Vec<u64>, usize) {
        let (mut lengths, mut next) = (Vec::new(), at);
        while self.parser.text(next) == "[" {
            let value = self.parser.value(next + 1, 0);
            let value = value.filter(|(_, end)| self.parser.text(*end) == "]");
            let Some(end) = value.map(|(_, end)| end).or_else(|| self.closing(next)) else {
                break;
            };
            let length = value.and_then(|(value, _)| u64::try_from(value).ok());
            lengths.push(length.unwrap_or(1).max(1));
            next = end + 1;
        }
        (lengths, next)
    }

    /// The index of the matching closing bracket, within [`MAX_LENGTH`] tokens.
    fn closing(&self, at: usize) -> Option<usize> {
        let mut open = 0_usize;
        for (index, token) in self
            .parser
            .tokens
            .iter()
            .enumerate()
            .skip(at)
            .take(MAX_LENGTH)
        {
            match token.text {
                "[" => open += 1,
                "]" => open -= 1,
                ";" | "{" | "}" => return None,
                _ => {}
            }
            if open == 0 {
                return Some(index);
            }
        }
        None
    }

    /// The size of an array under the enclosing layout rules.
    fn check(
        &self,
        name: usize,
        base: TypeLayout,
        lengths: &[u64],
    ) -> Result<TypeLayout, LimitExceeded> {
        let min_align = match self.blocks.last() {
            Some(Block::Members { min_align, .. }) => *min_align,
            _ => 1,
        };
        let array = |element: TypeLayout, length: &u64| element.array(*length, min_align);
        let layout = lengths.iter().fold(base, array);
        if lengths.is_empty() {
            return Ok(layout);
        }
        let text = self.parser.text(name);
        let limit = MAX_TYPE_SIZE.into();
        let exceeded = self.parser.exceeded(text, layout.size, limit, name, name);
        exceeded.map_or(Ok(layout), Err)
    }
}

/// Size and alignment of a GLSL scalar, vector or matrix type.
pub(super) fn plain_type(name: &str) -> Option<TypeLayout> {
    let scalar = match name {
        "bool" => Some(1),
        "int" | "uint" | "float" => Some(4),
        "double" => Some(8),
        _ => None,
    };
    if let Some(width) = scalar {
        return Some(TypeLayout::plain(1, 1, width));
    }
    let (width, rest) = match name.as_bytes().first()? {
        b'b' => (1, &name[1..]),
        b'd' => (8, &name[1..]),
        b'i' | b'u' => (4, &name[1..]),
        _ => (4, name),
    };
    let side = |digit: &u8| matches!(digit, b'2'..=b'4').then(|| u64::from(digit - b'0'));
    match rest.as_bytes() {
        [b'v', b'e', b'c', rows] => Some(TypeLayout::plain(1, side(rows)?, width)),
        [b'm', b'a', b't', sides] => Some(TypeLayout::plain(side(sides)?, side(sides)?, width)),
        [b'm', b'a', b't', columns, b'x', rows] => {
            Some(TypeLayout::plain(side(columns)?, side(rows)?, width))
        }
        _ => None,
    }
}

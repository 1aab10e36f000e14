//! Sizes of array types in bytes, computed from tokens before naga lays them out.
//!
//! In: the tokens of a GLSL text after macro expansion, or of a WGSL text. Out: a [`LimitExceeded`] for the first type
//! over naga's limit. naga's GLSL front end multiplies array lengths unchecked, and panics if a type is over the limit.
//! Its WGSL front end reports such types, mostly without a location, which is found here.
//!
//! What always holds: a computed GLSL size is a lower bound of naga's, so no type is refused that naga accepts. An
//! array length counts as 1 unless it is a literal, a constant with a single value in the whole text, or arithmetic on
//! these; an unknown type counts as 1 byte.

use std::collections::HashMap;

use naga::valid::MAX_TYPE_SIZE;

use super::{Limit, LimitExceeded};
use crate::scan::Token;

/// Maximal size of a structure: naga computes member offsets in 32 bits.
const MAX_STRUCT_SIZE: u64 = u32::MAX as u64;

/// Alignment of arrays in the std140 layout.
const STD140: u64 = 16;

/// Maximal number of tokens of an array length.
const MAX_LENGTH: usize = 1 << 10;

/// Size and alignment of a type in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TypeLayout {
    size: u64,
    align: u64,
}

impl TypeLayout {
    const UNKNOWN: Self = Self { size: 1, align: 1 };

    fn array(self, length: u64, min_align: u64) -> Self {
        let align = self.align.max(min_align);
        let stride = self.size.checked_next_multiple_of(align);
        Self {
            size: stride.unwrap_or(u64::MAX).saturating_mul(length),
            align,
        }
    }

    /// A vector, or a matrix as an array of columns.
    fn plain(columns: u64, rows: u64, width: u64) -> Self {
        let align = rows.next_power_of_two() * width;
        let size = if columns == 1 {
            rows * width
        } else {
            columns * align
        };
        Self { size, align }
    }
}

/// The tokens, and the declared constants and types.
struct Parser<'a> {
    tokens: &'a [Token<'a>],
    /// Integer constants; `None` for names with several values.
    constants: HashMap<&'a str, Option<i64>>,
    /// Structures and aliases; `None` for names with several definitions.
    types: HashMap<&'a str, Option<TypeLayout>>,
}

impl<'a> Parser<'a> {
    fn new(tokens: &'a [Token<'a>]) -> Self {
        Self {
            tokens,
            constants: HashMap::new(),
            types: HashMap::new(),
        }
    }

    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_word)
    }

    fn define(&mut self, name: &'a str, value: Option<i64>) {
        let known = self.constants.entry(name).or_insert(value);
        if *known != value {
            *known = None;
        }
    }

    fn define_type(&mut self, name: &'a str, layout: TypeLayout) {
        let known = self.types.entry(name).or_insert(Some(layout));
        if *known != Some(layout) {
            *known = None;
        }
    }

    /// Parses an integer constant expression by precedence climbing. Returns its value, computed as in 32 bits without
    /// overflow, and the index after it.
    fn value(&self, at: usize, min_precedence: u8) -> Option<(i64, usize)> {
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

    fn exceeded(
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
        '<' => left.checked_mul(1 << u32::try_from(right).ok().filter(|it| *it < 32)?),
        _ => left.checked_shr(u32::try_from(right).ok()?),
    };
    result.filter(|it| (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(it))
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

/// The first type of a GLSL text over the limit.
pub(super) fn check_glsl(tokens: &[Token<'_>]) -> Result<(), LimitExceeded> {
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
    /// Statements or an initialiser.
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
        let before = |back: usize| at.checked_sub(back).map_or("", |it| self.parser.text(it));
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
        match self.parser.is_word(at + 1) {
            true => self.declarator(at + 1),
            false => Ok(at + 1),
        }
    }

    fn ty(&self, name: &str) -> Option<TypeLayout> {
        let known = self
            .parser
            .types
            .get(name)
            .map(|it| it.unwrap_or(TypeLayout::UNKNOWN));
        known.or_else(|| glsl_type(name))
    }

    /// Parses `type[2] name[4]`.
    fn declaration(&mut self, at: usize, layout: TypeLayout) -> Result<usize, LimitExceeded> {
        let (lengths, next) = self.lengths(at + 1);
        let layout = self.check(at, layout, &lengths)?;
        // Without a name it is a constructor, possibly in an initialiser.
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
fn glsl_type(name: &str) -> Option<TypeLayout> {
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

/// The first array type of a WGSL text over the limit.
pub(super) fn large_wgsl_array(tokens: &[Token<'_>]) -> Option<LimitExceeded> {
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
            let spelled: String = (at..end).map(|it| parser.text(it)).collect();
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
        let rest = (at..self.tokens.len()).find(|&it| matches!(self.text(it), ">" | ";" | "{"));
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
    let short = glsl_type(&name[..name.len() - 1])?;
    Some(TypeLayout {
        size: short.size * width / 4,
        align: short.align * width / 4,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Tokens;

    /// Name and size of the refused type.
    fn glsl(text: &str) -> Option<(String, u64)> {
        let tokens: Vec<_> = Tokens::new(text).collect();
        bytes(check_glsl(&tokens).err())
    }

    fn wgsl(text: &str) -> Option<(String, u64)> {
        let tokens: Vec<_> = Tokens::new(text).collect();
        bytes(large_wgsl_array(&tokens))
    }

    fn bytes(exceeded: Option<LimitExceeded>) -> Option<(String, u64)> {
        match exceeded?.limit {
            Limit::Bytes { name, bytes, .. } => Some((name, bytes)),
            _ => None,
        }
    }

    #[test]
    fn large_arrays_of_glsl_are_found() {
        let large = |name: &str, bytes: u64| Some((name.to_owned(), bytes));
        assert_eq!(glsl("uint a[65536][65536][2];"), large("a", 1 << 35));
        assert_eq!(glsl("uint[65536] a[65536];"), large("a", 1 << 34));
        assert_eq!(
            glsl("uint a, b[4] = uint[4](1, 2, 3, 4), c[1 << 29];"),
            large("c", 1 << 31)
        );
        assert_eq!(
            glsl("const int N = 1 << 15, M = N * 2; vec3 a[N][M];"),
            large("a", 1 << 35)
        );
        assert_eq!(
            glsl("struct S { uint a[65536]; }; S s[2048];"),
            large("s", 1 << 31)
        );
        assert_eq!(
            glsl("struct S { vec4 a; } s[0x8000000];"),
            large("s", 1 << 31)
        );
        assert_eq!(
            glsl("struct S { uint a[134217728]; };"),
            large("a", 1 << 31)
        );
        assert_eq!(
            glsl("uniform B { float a[134217728]; };"),
            large("a", 1 << 31)
        );
        assert_eq!(
            glsl("void f(int x, mat4 m[33554432]) {}"),
            large("m", 1 << 31)
        );
        let block = "buffer B { uint a[536870911], b[536870911], c[2]; };";
        assert_eq!(glsl(block), large("B", 1 << 32));
    }

    #[test]
    fn arrays_under_the_limit_and_unknown_lengths_are_left_to_naga() {
        for text in [
            "uint a[536870911];",
            "buffer B { uint a[134217728]; };",
            "layout(push_constant) uniform B { uint a[134217728]; };",
            "uint a[N][65536][8191];",
            "x = a[65536][65536][2];",
            "void f() { const int N = 65536; } void g() { const int N = 4; uint a[N][N][65536]; }",
            "uint a[65536], b[65536]; uint f(uint x) { return b[65536]; }",
            "uint a[1 / 0], b[-1], c[], d[1 << 99], e[(];",
        ] {
            assert_eq!(glsl(text), None, "{text}");
        }
    }

    #[test]
    fn large_arrays_of_wgsl_are_found() {
        let ty = "array<array<vec3<f32>, M>, 65536>".to_owned();
        let text = format!("const M = N * 2; const N: u32 = 0x800u; var<private> a: {ty};");
        assert_eq!(wgsl(&text), Some((ty, 1 << 32)));
        let text = "alias A = array<array<u32, 65536>, 65536>; var<private> a: array<A, 2>;";
        assert_eq!(wgsl(text).unwrap().1, 1 << 34);
        assert_eq!(
            wgsl("var<private> a: array<array<u32, 4>, (1 << 4)>;"),
            None
        );
    }

    #[test]
    fn any_tokens_end() {
        for text in [
            "uint",
            "uint[",
            "uint a[",
            "const int a =",
            "struct S {",
            "} } )",
            "uint a[b[c[",
            "array<",
            "array<array<u32,",
            "const a = (((",
            "alias A = A;",
            "array<>",
        ] {
            let _ = (glsl(text), wgsl(text));
        }
    }
}

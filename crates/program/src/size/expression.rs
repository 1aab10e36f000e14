//! Weights of expressions, by recursive descent over tokens.
//!
//! In: tokens, and what is known of the names in them. Out: the [`Value`] of each expression, and the cost of every
//! mention of a constant. Precedence does not matter here: a chain of operators has a plain value, whatever its order.

use std::collections::HashMap;

use super::value::{Shape, Type, Value};
use super::{Excess, Kind, MAX_PLAIN, MAX_UNFOLDED};
use crate::nesting::Grammar;
use crate::scan::Token;

/// Whether a word of WGSL may have a template list after it.
fn has_template(name: &str) -> bool {
    let is_matrix = name.len() == 6 && name.starts_with("mat");
    let is_known = matches!(
        name,
        "acceleration_structure"
            | "array"
            | "atomic"
            | "binding_array"
            | "bitcast"
            | "ptr"
            | "ray_query"
            | "vec2"
            | "vec3"
            | "vec4"
    );
    is_matrix || is_known || name.starts_with("texture_") || name.starts_with("coop")
}

/// A block, and what its names mean.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    pub(super) names: HashMap<&'a str, Value<'a>>,
    /// It ends with the block that it contains: parameters, and the header of a `for`.
    pub(super) is_header: bool,
}

/// What is known while tokens are read.
pub(super) struct Reader<'a> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) grammar: Grammar,
    /// Structures and aliases.
    pub(super) types: HashMap<&'a str, Type<'a>>,
    /// The members of structures.
    pub(super) members: HashMap<(&'a str, &'a str), Shape<'a>>,
    /// What names mean at module scope; those that are missing are known at run time only.
    pub(super) globals: HashMap<&'a str, Value<'a>>,
    pub(super) scopes: Vec<Scope<'a>>,
    cost: u64,
}

pub(super) type Result<T> = std::result::Result<T, Excess>;

impl<'a> Reader<'a> {
    pub(super) fn new(tokens: &'a [Token<'a>], grammar: Grammar) -> Self {
        Self {
            tokens,
            grammar,
            types: HashMap::new(),
            members: HashMap::new(),
            globals: HashMap::new(),
            scopes: Vec::new(),
            cost: 0,
        }
    }

    /// The text of a token, or nothing at the end.
    pub(super) fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_word)
    }

    /// What a name means, and nothing for what is known at run time only.
    pub(super) fn named(&self, name: &str) -> Option<&Value<'a>> {
        let local = self.scopes.iter().rev().find_map(|it| it.names.get(name));
        local.or_else(|| self.globals.get(name))
    }

    /// Gives a name a meaning in the innermost block.
    pub(super) fn declare(&mut self, name: &'a str, value: Value<'a>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, value);
        }
    }

    /// Ends a block, with the header in front of it.
    pub(super) fn leave(&mut self) {
        self.scopes.pop();
        while self.scopes.last().is_some_and(|scope| scope.is_header) {
            self.scopes.pop();
        }
    }

    /// Counts the mention of a name.
    pub(super) fn mention(&mut self, at: usize) -> Result<()> {
        let weight = self.named(self.text(at)).map_or(0, |value| value.weight);
        self.spend(weight, at)
    }

    fn spend(&mut self, weight: u64, at: usize) -> Result<()> {
        self.cost = self.cost.saturating_add(weight);
        match self.tokens.get(at) {
            Some(token) if self.cost > MAX_UNFOLDED => {
                Err(Excess::new(Kind::Unfolded(token.text.to_owned()), token))
            }
            _ => Ok(()),
        }
    }

    /// Reads an expression, and says where it ends. Tokens that begin none are left alone.
    pub(super) fn expression(&mut self, at: usize) -> Result<(Value<'a>, usize)> {
        let (mut value, mut next) = self.operand(at)?;
        loop {
            let after = self.after_operator(next);
            if after == next {
                return Ok((value, next));
            }
            let (right, end) = self.operand(after)?;
            for side in [&value, &right] {
                self.check_operand(side, next)?;
            }
            value = Value {
                shape: Shape::Plain,
                weight: MAX_PLAIN,
                is_constant: value.is_constant && right.is_constant,
            };
            next = end;
        }
    }

    /// Operators do not take arrays; naga would write out their elements to find that.
    fn check_operand(&self, value: &Value<'_>, at: usize) -> Result<()> {
        let is_wrong = value.is_constant && value.shape.is_aggregate();
        // GLSL compares arrays, and naga does so without constants.
        match self.tokens.get(at) {
            Some(token) if is_wrong && self.grammar == Grammar::Wgsl => {
                Err(Excess::new(Kind::Operator, token))
            }
            _ => Ok(()),
        }
    }

    /// The end of the operator at a place, if there is one. An assignment is none.
    fn after_operator(&self, at: usize) -> usize {
        let is_glsl = self.grammar == Grammar::Glsl;
        match self.text(at) {
            "=" if self.text(at + 1) == "=" => at + 2,
            "!" if self.text(at + 1) == "=" => at + 2,
            "<" | ">" | "&" | "|" if self.text(at + 1) == self.text(at) => at + 2,
            "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<" | ">" => match self.text(at + 1) {
                "=" => at + 2,
                _ => at + 1,
            },
            "?" | ":" if is_glsl => at + 1,
            _ => at,
        }
    }

    /// Reads an operand with the operators before it and the accessors after it.
    fn operand(&mut self, at: usize) -> Result<(Value<'a>, usize)> {
        let mut first = at;
        let mut negates = None;
        loop {
            match self.text(first) {
                "-" | "!" | "~" => negates = Some(first),
                "&" | "*" | "+" => {}
                _ => break,
            }
            first += 1;
        }
        let (value, next) = self.primary(first)?;
        if let Some(operator) = negates {
            self.check_operand(&value, operator)?;
        }
        Ok((value, next))
    }

    fn primary(&mut self, at: usize) -> Result<(Value<'a>, usize)> {
        let text = self.text(at);
        match text {
            "(" => {
                let (value, next) = self.list(at + 1, ")")?;
                let value = match value.len() {
                    1 => value.into_iter().next().unwrap_or(Value::RUNTIME),
                    _ => Value::RUNTIME,
                };
                self.accessors(value, next)
            }
            "{" if self.grammar == Grammar::Glsl => {
                let (parts, next) = self.list(at + 1, "}")?;
                Ok((composed(None, &parts), next))
            }
            "true" | "false" => Ok((Value::LITERAL, at + 1)),
            _ if self.is_word(at) => self.word(at),
            _ if text.starts_with(|first: char| first.is_ascii_digit()) => {
                self.accessors(Value::LITERAL, at + 1)
            }
            _ => Ok((Value::RUNTIME, at)),
        }
    }

    /// Reads what begins with a name: a call, a constructor, a constant or a variable.
    fn word(&mut self, at: usize) -> Result<(Value<'a>, usize)> {
        let name = self.text(at);
        let (ty, after) = match self.grammar {
            Grammar::Wgsl => self.ty(at)?,
            Grammar::Glsl => self.glsl_type(at)?,
        };
        if self.text(after) == "(" {
            let (parts, next) = self.list(after + 1, ")")?;
            if matches!(name, "any" | "all") {
                parts.iter().try_for_each(|it| self.check_operand(it, at))?;
            }
            let is_bare = name == "array" && after == at + 1;
            let is_function =
                ty.is_none() && self.grammar == Grammar::Wgsl && self.is_user_function(name);
            let value = match ty {
                _ if is_bare => composed(None, &parts),
                Some(ty) => composed(Some(ty.shape), &parts),
                None if is_function => Value::RUNTIME,
                None => composed(Some(Shape::Plain), &parts),
            };
            return self.accessors(value, next);
        }
        let Some(value) = self.named(name).cloned() else {
            return self.accessors(Value::RUNTIME, after.max(at + 1));
        };
        // The index decides whether naga looks into the constant.
        let (found, next) = self.accessors(value.clone(), at + 1)?;
        self.spend(if found.is_constant { value.weight } else { 1 }, at)?;
        Ok((found, next))
    }

    /// Functions of the program have no constant results.
    fn is_user_function(&self, name: &str) -> bool {
        self.globals
            .get(name)
            .is_some_and(|value| !value.is_constant)
    }

    /// Reads indices and members after a value.
    fn accessors(&mut self, value: Value<'a>, at: usize) -> Result<(Value<'a>, usize)> {
        let (mut value, mut next) = (value, at);
        loop {
            match self.text(next) {
                "[" => {
                    let (index, end) = self.list(next + 1, "]")?;
                    value.is_constant &= index.iter().all(|it| it.is_constant);
                    value.shape = match &value.shape {
                        Shape::Array(element) => (**element).clone(),
                        _ => Shape::Plain,
                    };
                    next = end;
                }
                "." => {
                    let member = self.text(next + 1);
                    value.shape = match value.shape {
                        Shape::Struct(name) => {
                            let found = self.members.get(&(name, member));
                            found.cloned().unwrap_or(Shape::Plain)
                        }
                        _ => Shape::Plain,
                    };
                    let is_part = self.is_word(next + 1)
                        || member.starts_with(|first: char| first.is_ascii_digit());
                    next += 1 + usize::from(is_part);
                }
                _ => break,
            }
        }
        if next > at && !value.shape.is_aggregate() {
            value.weight = value.weight.min(MAX_PLAIN);
        }
        Ok((value, next))
    }

    /// Reads expressions between commas, up to and with a closing bracket.
    pub(super) fn list(&mut self, at: usize, close: &str) -> Result<(Vec<Value<'a>>, usize)> {
        let mut parts = Vec::new();
        let mut next = at;
        while next < self.tokens.len() && self.text(next) != close {
            if matches!(self.text(next), ";" | ")" | "]" | "}") {
                // Not a list: naga reports it.
                return Ok((parts, next));
            }
            if self.text(next) == "," {
                next += 1;
                continue;
            }
            let (part, end) = self.expression(next)?;
            parts.push(part);
            next = end.max(next + 1);
        }
        Ok((parts, next + 1))
    }

    /// Reads a type of WGSL; nothing for a name that is none.
    pub(super) fn ty(&mut self, at: usize) -> Result<(Option<Type<'a>>, usize)> {
        let name = self.text(at);
        if let Some(known) = self.types.get(name) {
            return Ok((Some(known.clone()), at + 1));
        }
        if !has_template(name) || self.text(at + 1) != "<" || self.named(name).is_some() {
            let ty = (name == "array").then_some(Type::PLAIN);
            return Ok((ty, at + 1));
        }
        if name != "array" {
            return Ok((Some(Type::PLAIN), self.skip_template(at + 2)?));
        }
        let (element, next) = self.ty(at + 2)?;
        let element = element.unwrap_or(Type::PLAIN);
        let ty = Type {
            shape: element.shape.array(),
            members: element.members,
        };
        Ok((Some(ty), self.skip_template(next)?))
    }

    /// The end of a template list, whose constants are mentioned there.
    fn skip_template(&mut self, at: usize) -> Result<usize> {
        let mut open = 1_u32;
        let mut next = at;
        while open > 0 && next < self.tokens.len() {
            match self.text(next) {
                ";" | "{" | "}" => break,
                "<" if self.is_word(next - 1) && self.named(self.text(next - 1)).is_none() => {
                    open += 1;
                }
                ">" => open -= 1,
                "(" => {
                    let (_, end) = self.list(next + 1, ")")?;
                    next = end.max(next + 1);
                    continue;
                }
                _ => self.mention(next)?,
            }
            next += 1;
        }
        Ok(next)
    }

    /// Reads a type of GLSL, such as `float[2][4]`; nothing if no constructor follows.
    fn glsl_type(&mut self, at: usize) -> Result<(Option<Type<'a>>, usize)> {
        let known = self.types.get(self.text(at)).cloned();
        if self.named(self.text(at)).is_some() || self.text(at + 1) != "[" {
            return Ok((known, at + 1));
        }
        let mut ty = known.unwrap_or(Type::PLAIN);
        let mut next = at + 1;
        while self.text(next) == "[" {
            let (_, end) = self.list(next + 1, "]")?;
            ty.shape = ty.shape.array();
            next = end;
        }
        match self.text(next) {
            "(" => Ok((Some(ty), next)),
            // A variable with an index; the accessors are read again, which is linear: they nest no deeper.
            _ => Ok((None, next)),
        }
    }
}

/// A value of parts; an array of them if no shape is given.
fn composed<'a>(shape: Option<Shape<'a>>, parts: &[Value<'a>]) -> Value<'a> {
    let weight = parts
        .iter()
        .map(|it| it.weight)
        .fold(1, u64::saturating_add);
    let shape = shape.unwrap_or_else(|| {
        let element = parts.first().map_or(Shape::Plain, |it| it.shape.clone());
        element.array()
    });
    Value {
        weight: match shape {
            Shape::Plain => weight.min(MAX_PLAIN),
            _ => weight,
        },
        shape,
        is_constant: parts.iter().all(|it| it.is_constant),
    }
}

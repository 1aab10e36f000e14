//! Weights of expressions, by recursive descent over tokens.
//!
//! In: tokens, and the declared names. Out: the [`ValueInfo`] of each expression, and the total cost of all uses of
//! constants. Operator precedence is ignored: a chain of operators has a non-aggregate value in any order.

use std::collections::HashMap;

use super::value::{Shape, Type, ValueInfo};
use super::{Limit, LimitExceeded, MAX_PLAIN, MAX_UNFOLDED};
use crate::nesting::Grammar;
use crate::tokenizer::Token;

/// Whether a WGSL type name may be followed by a template list.
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

/// A block scope and its names.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    pub(super) names: HashMap<&'a str, ValueInfo<'a>>,
    /// A header scope ends with the block inside it: parameters, and the header of a `for`.
    pub(super) is_header: bool,
}

/// The state of the parser.
pub(super) struct Parser<'a> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) grammar: Grammar,
    /// Declared structures and aliases.
    pub(super) types: HashMap<&'a str, Type<'a>>,
    /// Types of structure members.
    pub(super) members: HashMap<(&'a str, &'a str), Shape<'a>>,
    /// Values of names at module scope. Missing names are known at run time only.
    pub(super) globals: HashMap<&'a str, ValueInfo<'a>>,
    pub(super) scopes: Vec<Scope<'a>>,
    cost: u64,
}

pub(super) type Result<T> = std::result::Result<T, LimitExceeded>;

impl<'a> Parser<'a> {
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

    /// The text of a token; empty after the end.
    pub(super) fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_word)
    }

    /// The value of a name; `None` if it is known at run time only.
    pub(super) fn named(&self, name: &str) -> Option<&ValueInfo<'a>> {
        let local = self
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.names.get(name));
        local.or_else(|| self.globals.get(name))
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &'a str, value: ValueInfo<'a>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, value);
        }
    }

    /// Leaves a block, together with its header scope.
    pub(super) fn leave(&mut self) {
        self.scopes.pop();
        while self.scopes.last().is_some_and(|scope| scope.is_header) {
            self.scopes.pop();
        }
    }

    /// Adds the cost of a use of a name.
    pub(super) fn mention(&mut self, at: usize) -> Result<()> {
        let weight = self.named(self.text(at)).map_or(0, |value| value.weight);
        self.spend(weight, at)
    }

    fn spend(&mut self, weight: u64, at: usize) -> Result<()> {
        self.cost = self.cost.saturating_add(weight);
        match self.tokens.get(at) {
            Some(token) if self.cost > MAX_UNFOLDED => Err(LimitExceeded::new(
                Limit::Unfolded(token.text.to_owned()),
                token,
            )),
            _ => Ok(()),
        }
    }

    /// Parses an expression and returns the index after it. Consumes nothing if no expression begins here.
    pub(super) fn expression(&mut self, at: usize) -> Result<(ValueInfo<'a>, usize)> {
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
            value = ValueInfo {
                shape: Shape::Plain,
                weight: MAX_PLAIN,
                is_constant: value.is_constant && right.is_constant,
            };
            next = end;
        }
    }

    /// Operators do not accept arrays; naga would expand their elements before it reports that.
    fn check_operand(&self, value: &ValueInfo<'_>, at: usize) -> Result<()> {
        let is_wrong = value.is_constant && value.shape.is_aggregate();
        // GLSL compares arrays, and naga does so without evaluating constants.
        match self.tokens.get(at) {
            Some(token) if is_wrong && self.grammar == Grammar::Wgsl => {
                Err(LimitExceeded::new(Limit::Operator, token))
            }
            _ => Ok(()),
        }
    }

    /// The index after the operator at `at`; `at` if there is none. An assignment is not an operator.
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

    /// Parses an operand with its prefix operators and accessors.
    fn operand(&mut self, at: usize) -> Result<(ValueInfo<'a>, usize)> {
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

    fn primary(&mut self, at: usize) -> Result<(ValueInfo<'a>, usize)> {
        let text = self.text(at);
        match text {
            "(" => {
                let (value, next) = self.list(at + 1, ")")?;
                let value = match value.len() {
                    1 => value.into_iter().next().unwrap_or(ValueInfo::RUNTIME),
                    _ => ValueInfo::RUNTIME,
                };
                self.accessors(value, next)
            }
            "{" if self.grammar == Grammar::Glsl => {
                let (parts, next) = self.list(at + 1, "}")?;
                Ok((composed(None, &parts), next))
            }
            "true" | "false" => Ok((ValueInfo::LITERAL, at + 1)),
            _ if self.is_word(at) => self.word(at),
            _ if text.starts_with(|first: char| first.is_ascii_digit()) => {
                self.accessors(ValueInfo::LITERAL, at + 1)
            }
            _ => Ok((ValueInfo::RUNTIME, at)),
        }
    }

    /// Parses an operand that begins with a name: a call, a constructor, a constant or a variable.
    fn word(&mut self, at: usize) -> Result<(ValueInfo<'a>, usize)> {
        let name = self.text(at);
        let (ty, after) = match self.grammar {
            Grammar::Wgsl => self.ty(at)?,
            Grammar::Glsl => self.glsl_type(at)?,
        };
        if self.text(after) == "(" {
            let (parts, next) = self.list(after + 1, ")")?;
            if matches!(name, "any" | "all") {
                parts
                    .iter()
                    .try_for_each(|part| self.check_operand(part, at))?;
            }
            let is_bare = name == "array" && after == at + 1;
            let is_function =
                ty.is_none() && self.grammar == Grammar::Wgsl && self.is_user_function(name);
            let value = match ty {
                _ if is_bare => composed(None, &parts),
                Some(ty) => composed(Some(ty.shape), &parts),
                None if is_function => ValueInfo::RUNTIME,
                None => composed(Some(Shape::Plain), &parts),
            };
            return self.accessors(value, next);
        }
        let Some(value) = self.named(name).cloned() else {
            return self.accessors(ValueInfo::RUNTIME, after.max(at + 1));
        };
        // With a dynamic index naga does not evaluate the constant.
        let (found, next) = self.accessors(value.clone(), at + 1)?;
        self.spend(if found.is_constant { value.weight } else { 1 }, at)?;
        Ok((found, next))
    }

    /// Calls of user functions are not constant.
    fn is_user_function(&self, name: &str) -> bool {
        self.globals
            .get(name)
            .is_some_and(|value| !value.is_constant)
    }

    /// Parses index and member accessors.
    fn accessors(&mut self, value: ValueInfo<'a>, at: usize) -> Result<(ValueInfo<'a>, usize)> {
        let (mut value, mut next) = (value, at);
        loop {
            match self.text(next) {
                "[" => {
                    let (index, end) = self.list(next + 1, "]")?;
                    value.is_constant &= index.iter().all(|value| value.is_constant);
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

    /// Parses comma-separated expressions up to and including the closing bracket.
    pub(super) fn list(&mut self, at: usize, close: &str) -> Result<(Vec<ValueInfo<'a>>, usize)> {
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

    /// Parses a WGSL type; `None` if the name is not a type.
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

    /// The index after a template list; uses of constants inside are charged.
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

    /// Parses a GLSL type such as `float[2][4]`; `None` if it is not a constructor call.
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
            // A variable with an index. The accessors are parsed again, which stays linear: they nest no deeper.
            _ => Ok((None, next)),
        }
    }
}

/// The value of a constructor; an array of the parts if no shape is given.
fn composed<'a>(shape: Option<Shape<'a>>, parts: &[ValueInfo<'a>]) -> ValueInfo<'a> {
    let weight = parts
        .iter()
        .map(|part| part.weight)
        .fold(1, u64::saturating_add);
    let shape = shape.unwrap_or_else(|| {
        let element = parts
            .first()
            .map_or(Shape::Plain, |part| part.shape.clone());
        element.array()
    });
    ValueInfo {
        weight: match shape {
            Shape::Plain => weight.min(MAX_PLAIN),
            _ => weight,
        },
        shape,
        is_constant: parts.iter().all(|part| part.is_constant),
    }
}

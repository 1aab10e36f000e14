//! Reflection of overrides: pipeline-overridable constants.
//!
//! In: a module's overrides, without the unnamed ones that naga creates for array sizes. Out: [`Override`]s in the
//! order of declaration, and the overrides that a value depends on.

use std::collections::BTreeSet;

use naga::{Expression, Handle, Literal, Module};

use super::spell_type;
use crate::Program;

/// An `override` declaration.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Override {
    /// The name; the id if the program has no names.
    pub name: String,
    /// `@id`.
    pub id: Option<u16>,
    /// The WGSL spelling of the type.
    pub ty: String,
    /// The value if none is given.
    pub default: OverrideDefault,
}

/// The value of an override if none is given.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OverrideDefault {
    /// None: a value must be given.
    Required,
    /// A number; 0 or 1 for a `bool`.
    Value(f64),
    /// An expression of other overrides.
    Computed,
}

impl Program {
    /// All overrides of the module, in the order of declaration.
    pub fn overrides(&self) -> Vec<Override> {
        let module = self.module();
        let declared = module
            .overrides
            .iter()
            .map(|(_, o)| o)
            .filter(|o| is_declared(o));
        let describe = |o: &naga::Override| Override {
            name: override_name(o),
            id: o.id,
            ty: spell_type(module, o.ty),
            default: default(module, o),
        };
        declared.map(describe).collect()
    }
}

fn is_declared(constant: &naga::Override) -> bool {
    constant.name.is_some() || constant.id.is_some()
}

/// The name of an override in messages.
pub(crate) fn override_name(constant: &naga::Override) -> String {
    let id = || constant.id.map(|id| id.to_string());
    constant.name.clone().or_else(id).unwrap_or_default()
}

fn default(module: &Module, constant: &naga::Override) -> OverrideDefault {
    match constant.init {
        None => OverrideDefault::Required,
        Some(init) => {
            number(module, init).map_or(OverrideDefault::Computed, OverrideDefault::Value)
        }
    }
}

/// The value of a global expression that is a literal.
fn number(module: &Module, expression: Handle<Expression>) -> Option<f64> {
    match module.global_expressions[expression] {
        Expression::Literal(literal) => Some(match literal {
            Literal::F64(value) | Literal::AbstractFloat(value) => value,
            Literal::F32(value) => f64::from(value),
            Literal::F16(value) => f64::from(value),
            Literal::U16(value) => f64::from(value),
            Literal::I16(value) => f64::from(value),
            Literal::U32(value) => f64::from(value),
            Literal::I32(value) => f64::from(value),
            Literal::U64(value) => value as f64,
            Literal::I64(value) | Literal::AbstractInt(value) => value as f64,
            Literal::Bool(value) => f64::from(u8::from(value)),
        }),
        Expression::Constant(constant) => number(module, module.constants[constant].init),
        Expression::ZeroValue(_) => Some(0.0),
        _ => None,
    }
}

/// Collects the overrides without a default that global expressions and overrides depend on.
pub(super) struct RequiredOverrides<'a> {
    module: &'a Module,
    seen: BTreeSet<Handle<Expression>>,
    names: BTreeSet<String>,
}

impl<'a> RequiredOverrides<'a> {
    pub(super) fn new(module: &'a Module) -> Self {
        Self {
            module,
            seen: BTreeSet::new(),
            names: BTreeSet::new(),
        }
    }

    /// Their names, sorted.
    pub(super) fn into_names(self) -> Vec<String> {
        self.names.into_iter().collect()
    }

    pub(super) fn add_override(&mut self, constant: Handle<naga::Override>) {
        let constant = &self.module.overrides[constant];
        match constant.init {
            Some(init) => self.add_expression(init),
            None => {
                self.names.insert(override_name(constant));
            }
        }
    }

    /// Follows the operands of an expression.
    ///
    /// Overrides are scalars, so an expression without scalar operands cannot be part of the value of one and needs no
    /// match arm.
    pub(super) fn add_expression(&mut self, expression: Handle<Expression>) {
        let mut waiting = vec![expression];
        while let Some(expression) = waiting.pop() {
            if !self.seen.insert(expression) {
                continue;
            }
            match &self.module.global_expressions[expression] {
                Expression::Override(constant) => match self.module.overrides[*constant].init {
                    Some(init) => waiting.push(init),
                    None => self.add_override(*constant),
                },
                Expression::Constant(constant) => {
                    waiting.push(self.module.constants[*constant].init);
                }
                Expression::Compose { components, .. } => waiting.extend(components),
                Expression::Splat { value, .. } => waiting.push(*value),
                Expression::Swizzle { vector, .. } => waiting.push(*vector),
                Expression::Access { base, index } => waiting.extend([*base, *index]),
                Expression::AccessIndex { base, .. } => waiting.push(*base),
                Expression::Unary { expr, .. } | Expression::As { expr, .. } => waiting.push(*expr),
                Expression::Binary { left, right, .. } => waiting.extend([*left, *right]),
                Expression::Select {
                    condition,
                    accept,
                    reject,
                } => waiting.extend([*condition, *accept, *reject]),
                Expression::Relational { argument, .. } => waiting.push(*argument),
                Expression::Math {
                    arg,
                    arg1,
                    arg2,
                    arg3,
                    ..
                } => {
                    waiting.push(*arg);
                    waiting.extend([arg1, arg2, arg3].into_iter().flatten());
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ids_types_and_defaults() {
        let program = Program::from_wgsl(
            "const base = 3;
             override a: u32 = base + 1;
             @id(12) override b: f32;
             override c = true;
             override d: i32 = -2;
             override e = a * 2;
             var<workgroup> w: array<u32, a + 1>;",
        )
        .unwrap();
        let overrides = program.overrides();
        let described: Vec<_> = overrides
            .iter()
            .map(|o| (o.name.as_str(), o.id, o.ty.as_str(), o.default))
            .collect();
        assert_eq!(
            described,
            [
                ("a", None, "u32", OverrideDefault::Value(4.0)),
                ("b", Some(12), "f32", OverrideDefault::Required),
                ("c", None, "bool", OverrideDefault::Value(1.0)),
                ("d", None, "i32", OverrideDefault::Value(-2.0)),
                ("e", None, "u32", OverrideDefault::Computed),
            ]
        );
    }
}

//! Words naga's validation errors in terms of the user's program.
//!
//! In: a validation error and its module. Out: a [`Diagnostic`]: the message is the innermost cause, the notes give the
//! enclosing function, call or variable. naga's messages contain arena indices and `Debug` output; the common errors
//! are reworded here with names and WGSL types, the rest is cleaned by `cause`.

use std::ops::Range;

use naga::common::wgsl::{TryToWgsl, TypeContext};
use naga::proc::{LayoutErrorInner, TypeResolution};
use naga::valid::{
    CallError, EntryPointError, ExpressionError, FunctionError, GlobalVariableError,
    LocalVariableError, TypeError, ValidationError, VaryingError,
};
use naga::{
    AddressSpace, ArraySize, GlobalVariable, Handle, Module, SwitchValue, Type, TypeInner,
    UnaryOperator, WithSpan,
};

use super::Diagnostic;
use super::cause::cause;
use crate::Source;
use crate::reflect::spell_type;
use crate::size_limits::too_many_bytes;
use crate::tokenizer::Tokens;

pub(super) fn diagnostic(
    error: &WithSpan<ValidationError>,
    module: &Module,
    source: Option<&Source>,
) -> Diagnostic {
    let mut wording = Wording {
        module,
        notes: Vec::new(),
        place: None,
    };
    let message = wording.validation(error.as_inner());
    let labels = labels(error, wording.place, source);
    Diagnostic::new(&message, labels, wording.notes, source)
}

/// Like [`diagnostic`], for a module that no longer exists: without its names.
pub(super) fn without_module(
    error: &WithSpan<ValidationError>,
    source: Option<&Source>,
) -> Diagnostic {
    let labels = labels(error, None, source);
    Diagnostic::new(&cause(error.as_inner()), labels, Vec::new(), source)
}

/// The label: the smallest of naga's spans; the spans around it add nothing.
fn labels(
    error: &WithSpan<ValidationError>,
    place: Option<Range<usize>>,
    source: Option<&Source>,
) -> Vec<(Range<usize>, String)> {
    let smallest = error
        .spans()
        .filter_map(|(span, _)| span.to_range())
        .min_by_key(ExactSizeIterator::len);
    let entry_point = || match error.as_inner() {
        ValidationError::EntryPoint { name, .. } => function_name(source?.text(), name),
        _ => None,
    };
    let place = place.or(smallest).or_else(entry_point);
    place
        .map(|range| (range, String::new()))
        .into_iter()
        .collect()
}

/// The range of a function's name in its declaration: naga stores no span for entry points.
fn function_name(text: &str, name: &str) -> Option<Range<usize>> {
    let mut previous = "";
    for token in Tokens::new(text) {
        if previous == "fn" && token.text == name {
            return Some(token.start..token.end());
        }
        previous = token.text;
    }
    None
}

/// Words an error layer by layer: each method returns the message of the innermost cause.
struct Wording<'a> {
    module: &'a Module,
    notes: Vec<String>,
    /// A more precise range than naga's spans.
    place: Option<Range<usize>>,
}

impl Wording<'_> {
    fn met_in(&mut self, what: &str, name: &str) {
        if !name.is_empty() {
            self.notes.push(format!("in {what} `{name}`"));
        }
    }

    fn ty(&self, handle: Handle<Type>) -> String {
        format!("`{}`", spell_type(self.module, handle))
    }

    fn inner(&self, ty: &TypeInner) -> String {
        let resolution = TypeResolution::Value(ty.clone());
        match ty {
            // The struct's name is not part of its inner type.
            TypeInner::Struct { .. } => "a struct".to_owned(),
            _ => {
                let context = self.module.to_ctx();
                format!("`{}`", context.type_resolution_to_string(&resolution))
            }
        }
    }

    fn validation(&mut self, error: &ValidationError) -> String {
        match error {
            ValidationError::Type {
                handle,
                name,
                source,
            } => {
                self.met_in("type", name);
                self.place = self.first_use(*handle);
                self.type_(source)
            }
            ValidationError::Constant { name, source, .. } => {
                self.met_in("constant", name);
                cause(source)
            }
            ValidationError::Override { name, source, .. } => {
                self.met_in("override", name);
                cause(source)
            }
            ValidationError::GlobalVariable {
                handle,
                name,
                source,
            } => {
                self.met_in("global variable", name);
                self.global_variable(&self.module.global_variables[*handle], source)
            }
            ValidationError::Function { name, source, .. } => {
                self.met_in("function", name);
                self.function(source)
            }
            ValidationError::EntryPoint { name, source, .. } => {
                self.met_in("entry point", name);
                self.entry_point(source)
            }
            ValidationError::ArraySizeError { .. } => {
                "the size of an array must be positive".to_owned()
            }
            ValidationError::Layouter(error) if error.inner == LayoutErrorInner::TooLarge => {
                let own = self.module.types.get_span(error.ty).to_range();
                self.place = own.or_else(|| self.first_use(error.ty));
                let limit = naga::valid::MAX_TYPE_SIZE.into();
                let name = spell_type(self.module, error.ty);
                too_many_bytes(&name, self.bytes(error.ty), limit)
            }
            ValidationError::Layouter(error) => {
                let message = cause(&error.inner);
                format!("the type {} has no layout: {message}", self.ty(error.ty))
            }
            other => cause(other),
        }
    }

    /// The declaration of a variable of this type: anonymous types have no span.
    fn first_use(&self, ty: Handle<Type>) -> Option<Range<usize>> {
        let globals = &self.module.global_variables;
        let global = globals.iter().find(|(_, variable)| variable.ty == ty);
        if let Some((handle, _)) = global {
            return globals.get_span(handle).to_range();
        }
        let points = self
            .module
            .entry_points
            .iter()
            .map(|entry_point| &entry_point.function);
        let functions = points.chain(self.module.functions.iter().map(|(_, function)| function));
        functions
            .map(|function| &function.local_variables)
            .find_map(|locals| {
                let (handle, _) = locals.iter().find(|(_, variable)| variable.ty == ty)?;
                locals.get_span(handle).to_range()
            })
    }

    /// The size of an array in bytes, which may exceed naga's limit.
    fn bytes(&self, ty: Handle<Type>) -> u64 {
        match self.module.types[ty].inner {
            TypeInner::Array {
                size: ArraySize::Constant(length),
                stride,
                ..
            } => u64::from(length.get()) * u64::from(stride),
            _ => u64::MAX,
        }
    }

    fn type_(&self, error: &TypeError) -> String {
        match error {
            TypeError::InvalidArrayBaseType(ty) => {
                format!("an array cannot hold {}", self.ty(*ty))
            }
            TypeError::InvalidPointerBase(ty) => {
                format!("a pointer cannot point to {}", self.ty(*ty))
            }
            TypeError::InvalidData(ty) => {
                format!("{} cannot be part of another type", self.ty(*ty))
            }
            TypeError::InvalidDynamicArray(name, ty) => format!(
                "member `{name}` of type {} must come last, because its length is not known",
                self.ty(*ty)
            ),
            TypeError::InvalidAtomicWidth(kind, width) => {
                let scalar = TypeInner::Scalar(naga::Scalar {
                    kind: *kind,
                    width: *width,
                });
                format!("there are no atomics of {}", self.inner(&scalar))
            }
            TypeError::InvalidArraySize(_) => "the size of an array must be positive".to_owned(),
            other => cause(other),
        }
    }

    fn global_variable(&self, variable: &GlobalVariable, error: &GlobalVariableError) -> String {
        match *error {
            GlobalVariableError::InvalidUsage(space) => {
                format!(
                    "address space {} does not allow this use",
                    spell_space(space)
                )
            }
            GlobalVariableError::InitializerNotAllowed(space) => {
                format!(
                    "address space {} takes no initial value",
                    spell_space(space)
                )
            }
            GlobalVariableError::InvalidType(_) | GlobalVariableError::MissingTypeFlags { .. } => {
                let space = spell_space(variable.space);
                format!("address space {space} cannot hold {}", self.ty(variable.ty))
            }
            GlobalVariableError::InvalidBinding => match variable.binding {
                None => "the variable needs `@group` and `@binding`".to_owned(),
                Some(_) => "the variable cannot have `@group` and `@binding`".to_owned(),
            },
            GlobalVariableError::InvalidBindingArray(ty) => {
                format!("a binding array cannot hold {}", self.ty(ty))
            }
            GlobalVariableError::Alignment(space, ty, ref disalignment) => format!(
                "{} does not have the layout of address space {}: {}",
                self.ty(ty),
                spell_space(space),
                cause(disalignment)
            ),
            ref other => cause(other),
        }
    }

    fn entry_point(&mut self, error: &EntryPointError) -> String {
        match error {
            EntryPointError::Function(error) => self.function(error),
            EntryPointError::Argument(index, error) => {
                self.notes.push(format!("in argument {}", index + 1));
                self.varying(error)
            }
            EntryPointError::Result(error) => {
                self.notes.push("in the result".to_owned());
                self.varying(error)
            }
            EntryPointError::BindingCollision(variable) => {
                let name = self.at_variable(*variable);
                format!("{name} has the group and binding of another variable used here")
            }
            EntryPointError::InvalidGlobalUsage(variable, _) => {
                let name = self.at_variable(*variable);
                format!("{name} is used in a way its address space or access does not allow")
            }
            other => cause(other),
        }
    }

    fn varying(&self, error: &VaryingError) -> String {
        let builtin = |builtin: &naga::BuiltIn| {
            let name = builtin.try_to_wgsl();
            name.map_or("a builtin".to_owned(), |name| format!("builtin `{name}`"))
        };
        match error {
            VaryingError::InvalidType(ty) | VaryingError::NotIOShareableType(ty) => {
                format!("{} cannot be passed between stages", self.ty(*ty))
            }
            VaryingError::InvalidBuiltInStage(b) => {
                format!("{} is not available at this stage", builtin(b))
            }
            VaryingError::InvalidBuiltInType(b, ty) => {
                format!("{} cannot be of type {}", builtin(b), self.inner(ty))
            }
            VaryingError::DuplicateBuiltIn(b) => format!("{} is there twice", builtin(b)),
            other => cause(other),
        }
    }

    /// The variable's name; makes its declaration the label.
    fn at_variable(&mut self, variable: Handle<GlobalVariable>) -> String {
        self.place = self.module.global_variables.get_span(variable).to_range();
        let name = self.module.global_variables[variable].name.as_deref();
        name.map_or("a variable".to_owned(), |name| format!("`{name}`"))
    }

    fn function(&mut self, error: &FunctionError) -> String {
        match error {
            FunctionError::Expression { source, .. } => self.expression(source),
            FunctionError::LocalVariable { name, source, .. } => {
                self.met_in("variable", name);
                match source {
                    LocalVariableError::InvalidType(ty) => {
                        format!("a variable cannot hold {}", self.ty(*ty))
                    }
                    other => cause(other),
                }
            }
            FunctionError::InvalidCall { function, error } => {
                let name = self.module.functions[*function].name.clone();
                self.met_in("a call of", &name.unwrap_or_default());
                self.call(error)
            }
            FunctionError::InvalidReturnType {
                expression,
                expected_ty,
            } => match (expression, expected_ty) {
                (None, Some(ty)) => format!("a value of type {} must be returned", self.ty(*ty)),
                (_, Some(ty)) => format!("the returned value is not of type {}", self.ty(*ty)),
                (_, None) => "a value is returned, but no type for it is declared".to_owned(),
            },
            FunctionError::InvalidArgumentPointerSpace { name, space, .. } => format!(
                "argument `{name}` is a pointer into address space {}, which cannot be passed",
                spell_space(*space)
            ),
            FunctionError::InvalidIfType(_) => "the condition of `if` must be a `bool`".to_owned(),
            FunctionError::InvalidSwitchType(_) => {
                "the value of `switch` must be an `i32` or `u32`".to_owned()
            }
            FunctionError::ConflictingSwitchCase(value) => {
                format!(
                    "more than one case of `switch` is for {}",
                    spell_case(*value)
                )
            }
            FunctionError::InvalidStorePointer(_) => "this place cannot be written to".to_owned(),
            FunctionError::InvalidStoreTypes { .. } => {
                "the value does not have the type of the place it is stored to".to_owned()
            }
            FunctionError::NonUniformControlFlow(..) => {
                "this needs uniform control flow, which is not certain here".to_owned()
            }
            other => cause(other),
        }
    }

    fn call(&self, error: &CallError) -> String {
        match error {
            CallError::Argument { index, source } => {
                format!("argument {}: {}", index + 1, self.expression(source))
            }
            CallError::ArgumentType {
                index, required, ..
            } => {
                format!(
                    "argument {} must be of type {}",
                    index + 1,
                    self.ty(*required)
                )
            }
            CallError::ArgumentCount { required, seen } => {
                format!("{seen} arguments are given where {required} are needed")
            }
            other => cause(other),
        }
    }

    fn expression(&self, error: &ExpressionError) -> String {
        match error {
            ExpressionError::InvalidBinaryOperandTypes {
                op,
                lhs_type,
                rhs_type,
                ..
            } => format!(
                "operator `{}` does not take {} and {}",
                naga::back::binary_operation_str(*op),
                self.inner(lhs_type),
                self.inner(rhs_type)
            ),
            ExpressionError::InvalidUnaryOperandType(op, _) => {
                format!("operator `{}` does not take this operand", spell_unary(*op))
            }
            ExpressionError::IndexOutOfBounds(_, index) => {
                format!("index {index} is out of bounds")
            }
            ExpressionError::NegativeIndex(_) => "an index must not be negative".to_owned(),
            ExpressionError::InvalidZeroValue(ty) => {
                format!("{} has no zero value", self.ty(*ty))
            }
            other => cause(other),
        }
    }
}

fn spell_space(space: AddressSpace) -> String {
    let (name, _) = naga::common::wgsl::address_space_str(space);
    name.map_or("of handles".to_owned(), |name| format!("`{name}`"))
}

fn spell_unary(op: UnaryOperator) -> &'static str {
    match op {
        UnaryOperator::Negate => "-",
        UnaryOperator::LogicalNot => "!",
        UnaryOperator::BitwiseNot => "~",
    }
}

fn spell_case(value: SwitchValue) -> String {
    match value {
        SwitchValue::I32(value) => format!("`{value}`"),
        SwitchValue::U32(value) => format!("`{value}u`"),
        SwitchValue::Default => "`default`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_its_declaration() {
        let text = "// fn main\nfn domain() {} fn main() {}";
        assert_eq!(function_name(text, "main"), Some(29..33));
        assert_eq!(function_name(text, "other"), None);
    }
}

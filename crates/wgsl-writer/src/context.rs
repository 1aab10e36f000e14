//! State shared by all parts of the writer: module, dialect, names and layouts.
//!
//! In: a module with its analysis. Out: a [`Context`]. What always holds: module-scope names, layouts and polyfills are
//! decided before any text is written, so functions can be written in parallel.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use anywarp_program::naga::valid::ModuleInfo;
use anywarp_program::naga::{
    self, Arena, Expression, FastHashMap, FastHashSet, Function, Handle, MathFunction, Module,
    Statement, Type, TypeInner,
};
use anywarp_program::work::Meter;

use super::common_subexpressions::CommonSubexpressions;
use super::extension::{Extension, Extensions};
use super::layout::{Layouts, Strided};
use super::name::{self, Name, Predeclared, UsedNames};
use super::polyfill::Polyfill;
use super::{Dialect, WgslOptions};
use crate::WriteError;
use anywarp_program::{operands, walk};

/// A declaration in messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeclarationName<'n> {
    pub(super) kind: &'static str,
    pub(super) name: &'n str,
}

impl fmt::Display for DeclarationName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, self.name)
    }
}

/// The module, and all decisions made before text is written.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) module: &'a Module,
    pub(super) info: &'a ModuleInfo,
    pub(super) dialect: Dialect,
    pub(super) layouts: Layouts,
    pub(super) names: Names,
    pub(super) predeclared: Predeclared,
    /// Structures predeclared by WGSL.
    pub(super) builtin_structs: FastHashSet<Handle<Type>>,
    /// Result structures of builtin functions that the program stores or constructs itself. Their types cannot be named
    /// in WGSL, so the text declares structures of its own.
    pub(super) copied_structs: FastHashSet<Handle<Type>>,
    /// Whether each type is used.
    pub(super) used_types: Vec<bool>,
    pub(super) has_atomics: bool,
    /// Extensions needed by the text written so far.
    pub(super) extensions: Extensions,
    pub(super) meter: Meter,
}

/// The identifiers of all module-scope declarations.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Names of structures.
    pub(super) types: Vec<Option<Name>>,
    /// Names of structure members.
    pub(super) members: Vec<Vec<Name>>,
    /// Names of padding members before the first member.
    pub(super) paddings: FastHashMap<Handle<Type>, Name>,
    /// Names of wrapper structures around array elements, and of their member.
    pub(super) wrappers: FastHashMap<Strided, (Name, Name)>,
    pub(super) constants: Vec<Option<Name>>,
    pub(super) overrides: Vec<Option<Name>>,
    pub(super) globals: Vec<Name>,
    pub(super) functions: Vec<Name>,
    pub(super) entry_points: Vec<Name>,
    /// Shared parts of constants.
    pub(super) shared: CommonSubexpressions,
    /// Names of polyfills.
    pub(super) polyfills: BTreeMap<Polyfill, Name>,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        module: &'a Module,
        info: &'a ModuleInfo,
        options: &WgslOptions,
        predeclared: Predeclared,
    ) -> Result<Self, WriteError> {
        let layouts = Layouts::new(module)?;
        let used_types = used_types(module);
        let mut builtin_structs = builtin_structs(module);
        let copied_structs = copied_structs(module);
        builtin_structs.retain(|handle| !copied_structs.contains(handle));
        let polyfills = Polyfill::all(module, info);
        let is_atomic = |(_, ty): (_, &Type)| matches!(ty.inner, TypeInner::Atomic(_));
        let names = Names::new(
            module,
            &layouts,
            &predeclared,
            (&builtin_structs, &used_types),
            &polyfills,
        );
        Ok(Self {
            module,
            info,
            dialect: options.dialect,
            layouts,
            names,
            predeclared,
            builtin_structs,
            copied_structs,
            used_types,
            has_atomics: module.types.iter().any(is_atomic),
            extensions: Extensions::default(),
            meter: Meter::new(options.limits),
        })
    }

    /// Whether an expression calls a builtin function whose result is copied into a structure declared in the text.
    pub(super) fn is_copied(&self, expression: &Expression, ty: Option<Handle<Type>>) -> bool {
        !self.copied_structs.is_empty()
            && matches!(
                expression,
                Expression::Math {
                    fun: MathFunction::Modf | MathFunction::Frexp,
                    ..
                } | Expression::AtomicResult {
                    comparison: true,
                    ..
                }
            )
            && ty.is_some_and(|ty| self.copied_structs.contains(&ty))
    }

    /// Counts expressions and bytes written. The error names the declaration that exceeded a limit.
    pub(super) fn spend(
        &self,
        steps: u64,
        bytes: usize,
        place: DeclarationName<'_>,
    ) -> Result<(), WriteError> {
        let counted = self.meter.tick(steps);
        let counted = counted.and_then(|()| self.meter.allocate(bytes as u64));
        counted.map_err(|over| WriteError::OverBudget {
            place: place.to_string(),
            over,
        })
    }

    /// Records that the text needs an extension.
    pub(super) fn enable(&self, extension: Extension) {
        self.extensions.insert(extension);
    }

    /// An error: the dialect does not support `what`.
    pub(super) fn unsupported(&self, what: &str, place: DeclarationName<'_>) -> WriteError {
        WriteError::Unsupported {
            what: what.into(),
            place: place.to_string(),
            dialect: self.dialect.adjective(),
        }
    }

    /// Fails unless the dialect is naga's.
    pub(super) fn naga_only(
        &self,
        what: &str,
        place: DeclarationName<'_>,
    ) -> Result<(), WriteError> {
        match self.dialect {
            Dialect::Naga => Ok(()),
            Dialect::WebGpu => Err(self.unsupported(what, place)),
        }
    }
}

/// Result structures of builtin functions whose types would have to be named.
fn copied_structs(module: &Module) -> FastHashSet<Handle<Type>> {
    let results: FastHashSet<_> = module
        .special_types
        .predeclared_types
        .values()
        .copied()
        .collect();
    if results.is_empty() {
        return results;
    }
    let mut spelled = FastHashSet::default();
    let mut note = |ty: Handle<Type>| {
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            if results.contains(&ty) {
                spelled.insert(ty);
            }
            match module.types[ty].inner {
                TypeInner::Array { base, .. }
                | TypeInner::Pointer { base, .. }
                | TypeInner::BindingArray { base, .. } => open.push(base),
                TypeInner::Struct { ref members, .. } => {
                    open.extend(members.iter().map(|member| member.ty));
                }
                _ => {}
            }
        }
    };
    let mut in_expressions = |arena: &Arena<Expression>| {
        for (_, expression) in arena.iter() {
            if let Expression::Compose { ty, .. } | Expression::ZeroValue(ty) = *expression {
                note(ty);
            }
        }
    };
    in_expressions(&module.global_expressions);
    for function in walk::functions(module) {
        in_expressions(&function.expressions);
    }
    for (_, variable) in module.global_variables.iter() {
        note(variable.ty);
    }
    for (_, constant) in module.constants.iter() {
        note(constant.ty);
    }
    for function in walk::functions(module) {
        function
            .arguments
            .iter()
            .for_each(|argument| note(argument.ty));
        function.result.iter().for_each(|result| note(result.ty));
        function
            .local_variables
            .iter()
            .for_each(|(_, local_variable)| note(local_variable.ty));
    }
    spelled
}

fn builtin_structs(module: &Module) -> FastHashSet<Handle<Type>> {
    let special = &module.special_types;
    let mut structs: FastHashSet<_> = special.predeclared_types.values().copied().collect();
    structs.extend(special.ray_desc);
    structs.extend(special.ray_intersection);
    structs.extend(special.ray_vertex_return);
    structs.extend(special.external_texture_params);
    structs.extend(special.external_texture_transfer_function);
    structs
}

impl Names {
    /// Entry points are named first, because the host refers to them by name, then overrides for the same reason; all
    /// other names yield to them.
    fn new(
        module: &Module,
        layouts: &Layouts,
        predeclared: &Predeclared,
        (builtin_structs, used_types): (&FastHashSet<Handle<Type>>, &[bool]),
        polyfills: &BTreeSet<Polyfill>,
    ) -> Self {
        let mut taken = UsedNames::default();
        let mut pick =
            |wanted: Option<&str>, fallback: &str| taken.pick(wanted, fallback, predeclared);
        let mut names = Self::default();
        for entry_point in &module.entry_points {
            names
                .entry_points
                .push(pick(Some(&entry_point.name), "main"));
        }
        for (_, constant) in module.overrides.iter() {
            let named = constant.name.is_some() || constant.id.is_some();
            names
                .overrides
                .push(named.then(|| pick(constant.name.as_deref(), "constant")));
        }
        for (_, variable) in module.global_variables.iter() {
            names.globals.push(pick(variable.name.as_deref(), "global"));
        }
        for (_, function) in module.functions.iter() {
            names.functions.push(pick(function.name.as_deref(), "func"));
        }
        names.types = vec![None; module.types.len()];
        names.members = vec![Vec::new(); module.types.len()];
        // An unused type is often a leftover copy of a used one.
        for is_used in [true, false] {
            for (handle, ty) in module.types.iter() {
                let TypeInner::Struct { ref members, .. } = ty.inner else {
                    continue;
                };
                if used_types[handle.index()] == is_used {
                    names.name_members(handle, members, layouts);
                    names.types[handle.index()] = if builtin_structs.contains(&handle) {
                        builtin_name(module, handle)
                    } else {
                        Some(pick(ty.name.as_deref(), "Struct"))
                            .filter(|name| is_used || Some(&**name) == ty.name.as_deref())
                    };
                }
            }
        }
        for (_, constant) in module.constants.iter() {
            let wanted = constant.name.as_deref();
            names
                .constants
                .push(wanted.map(|_| pick(wanted, "constant")));
        }
        for polyfill in polyfills {
            names
                .polyfills
                .insert(*polyfill, pick(Some(&polyfill.name()), "polyfill"));
        }
        for &(_, (base, stride)) in layouts.strided() {
            let element = match names.types[base.index()] {
                Some(ref name) => name.to_string(),
                None => shape(module, base),
            };
            let wanted = format!("{element}_stride_{stride}");
            let name = pick(Some(&wanted), "Strided");
            names
                .wrappers
                .insert((base, stride), (name, "element".into()));
        }
        names.shared =
            CommonSubexpressions::new(module, &names.constants, || pick(Some("part"), "part"));
        names
    }

    fn name_members(
        &mut self,
        handle: Handle<Type>,
        members: &[naga::StructMember],
        layouts: &Layouts,
    ) {
        let mut names: Vec<Name> = Vec::with_capacity(members.len());
        let has_padding = layouts
            .of_struct(handle)
            .is_some_and(|layout| layout.padding > 0);
        // Most structures are short, with distinct member names.
        if members.len() <= 16 && !has_padding {
            for member in members {
                let legal = member.name.as_deref().map(name::legal).unwrap_or_default();
                if legal.is_empty() || names.iter().any(|name| **name == *legal) {
                    break;
                }
                names.push((&*legal).into());
            }
        }
        if names.len() < members.len() {
            names.clear();
            // Members are accessed with `.`, so they shadow nothing.
            let free = Predeclared::Used(HashSet::new());
            let mut taken = UsedNames::default();
            for (index, member) in members.iter().enumerate() {
                let wanted = member.name.as_deref();
                names.push(taken.pick(wanted, &format!("member_{index}"), &free));
            }
            if has_padding {
                let name = taken.pick(Some("padding"), "padding", &free);
                self.paddings.insert(handle, name);
            }
        }
        self.members[handle.index()] = names;
    }

    /// The predeclared identifiers that the module's own names would shadow.
    pub(super) fn hidden_by(module: &Module) -> HashSet<Box<str>> {
        let mut hidden = HashSet::new();
        let mut note = |wanted: Option<&str>| {
            if let Some(wanted) = wanted
                && let legal = name::legal(wanted)
                && name::is_predeclared(&legal)
            {
                hidden.insert(legal.into());
            }
        };
        for function in walk::functions(module) {
            note(function.name.as_deref());
            function
                .arguments
                .iter()
                .for_each(|argument| note(argument.name.as_deref()));
            function
                .local_variables
                .iter()
                .for_each(|(_, local)| note(local.name.as_deref()));
            function
                .named_expressions
                .values()
                .for_each(|name| note(Some(name)));
        }
        module
            .entry_points
            .iter()
            .for_each(|entry_point| note(Some(&entry_point.name)));
        module
            .types
            .iter()
            .for_each(|(_, ty)| note(ty.name.as_deref()));
        module
            .constants
            .iter()
            .for_each(|(_, constant)| note(constant.name.as_deref()));
        module
            .overrides
            .iter()
            .for_each(|(_, constant)| note(constant.name.as_deref()));
        module
            .global_variables
            .iter()
            .for_each(|(_, variable)| note(variable.name.as_deref()));
        hidden
    }
}

/// naga's ray types can be named; result types of builtin functions cannot.
fn builtin_name(module: &Module, handle: Handle<Type>) -> Option<Name> {
    let special = &module.special_types;
    if special.ray_desc == Some(handle) {
        Some("RayDesc".into())
    } else if special.ray_intersection == Some(handle) {
        Some("RayIntersection".into())
    } else {
        None
    }
}

/// A descriptive name for a type without a name.
fn shape(module: &Module, handle: Handle<Type>) -> String {
    let scalar = |scalar: naga::Scalar| {
        use anywarp_program::naga::common::wgsl::TryToWgsl;
        scalar.try_to_wgsl().unwrap_or("number")
    };
    match module.types[handle].inner {
        TypeInner::Scalar(inner) => scalar(inner).into(),
        TypeInner::Atomic(inner) => format!("atomic_{}", scalar(inner)),
        TypeInner::Vector {
            size,
            scalar: inner,
        } => {
            format!("vec{}_{}", size as u8, scalar(inner))
        }
        TypeInner::Matrix {
            columns,
            rows,
            scalar: inner,
        } => {
            format!("mat{}x{}_{}", columns as u8, rows as u8, scalar(inner))
        }
        TypeInner::Array { base, .. } => format!("array_{}", shape(module, base)),
        _ => module.types[handle]
            .name
            .clone()
            .unwrap_or_else(|| "Struct".into()),
    }
}

/// The types used by variables, constants, functions and other used types. Only structures matter.
fn used_types(module: &Module) -> Vec<bool> {
    let mut used = UsedTypes {
        module,
        types: vec![false; module.types.len()],
        open: Vec::new(),
    };
    for (_, variable) in module.global_variables.iter() {
        used.note(variable.ty);
    }
    for (_, constant) in module.constants.iter() {
        used.note(constant.ty);
    }
    for (_, expression) in module.global_expressions.iter() {
        used.note_expression(expression);
    }
    for function in walk::functions(module) {
        function
            .arguments
            .iter()
            .for_each(|argument| used.note(argument.ty));
        function
            .result
            .iter()
            .for_each(|result| used.note(result.ty));
        let locals = function.local_variables.iter();
        locals.for_each(|(_, local)| used.note(local.ty));
    }
    // Nearly always all structures are found by now, and functions need not be searched.
    let is_left = module.types.iter().any(|(handle, ty)| {
        matches!(ty.inner, TypeInner::Struct { .. }) && !used.types[handle.index()]
    });
    if is_left {
        for function in walk::functions(module) {
            for (_, local) in function.local_variables.iter() {
                if let Some(init) = local.init {
                    used.note_below(function, init);
                }
            }
            for statement in walk::statements(&function.body) {
                used.note_statement(function, statement);
            }
        }
    }
    used.types
}

/// The used types found so far.
struct UsedTypes<'a> {
    module: &'a Module,
    types: Vec<bool>,
    /// The worklist; kept to reuse its memory.
    open: Vec<Handle<Type>>,
}

impl UsedTypes<'_> {
    fn note(&mut self, ty: Handle<Type>) {
        if self.types[ty.index()] {
            return;
        }
        self.open.push(ty);
        while let Some(handle) = self.open.pop() {
            if std::mem::replace(&mut self.types[handle.index()], true) {
                continue;
            }
            match self.module.types[handle].inner {
                TypeInner::Struct { ref members, .. } => {
                    self.open.extend(members.iter().map(|member| member.ty));
                }
                TypeInner::Array { base, .. }
                | TypeInner::BindingArray { base, .. }
                | TypeInner::Pointer { base, .. } => self.open.push(base),
                _ => {}
            }
        }
    }

    fn note_expression(&mut self, expression: &Expression) {
        if let Expression::ZeroValue(ty) | Expression::Compose { ty, .. } = *expression {
            self.note(ty);
        }
    }

    /// Records types used by an expression and by its operands that no statement emits.
    fn note_below(&mut self, function: &Function, expression: Handle<Expression>) {
        let mut met = FastHashSet::default();
        let mut open = vec![expression];
        while let Some(handle) = open.pop() {
            if !met.insert(handle) {
                continue;
            }
            let expression = &function.expressions[handle];
            self.note_expression(expression);
            operands::of_expression(expression, |&used| open.push(used));
        }
    }

    /// Records types used by a statement, without its nested blocks. Unreachable expressions are not written.
    fn note_statement(&mut self, function: &Function, statement: &Statement) {
        let Statement::Emit(range) = statement else {
            return operands::of_statement(statement, |&used| {
                self.note_expression(&function.expressions[used]);
            });
        };
        for handle in range.clone() {
            let expression = &function.expressions[handle];
            self.note_expression(expression);
            operands::of_expression(expression, |&used| {
                self.note_expression(&function.expressions[used]);
            });
        }
    }
}

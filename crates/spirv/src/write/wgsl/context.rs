//! What every part of the writer knows: the module, the dialect, the names and the layouts.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use anywarp_program::naga::valid::ModuleInfo;
use anywarp_program::naga::{Arena, Expression, Handle, MathFunction, Module, Type, TypeInner};

use super::Dialect;
use super::layout::{Layouts, Strided};
use super::name::{self, Name, Predeclared, Taken};
use super::polyfill::Polyfill;
use super::shared::Shared;
use super::uniformity::Uniformity;
use crate::write::WriteError;

/// A declaration, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'n> {
    pub(super) kind: &'static str,
    pub(super) name: &'n str,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, self.name)
    }
}

/// The module with all that is decided before text is written.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) module: &'a Module,
    pub(super) info: &'a ModuleInfo,
    pub(super) dialect: Dialect,
    pub(super) layouts: Layouts,
    pub(super) names: Names,
    pub(super) predeclared: Predeclared,
    /// Structures that WGSL declares itself.
    pub(super) builtin_structs: HashSet<Handle<Type>>,
    /// Results of builtin functions that the program keeps or builds itself. Their types have no
    /// spelling, so the text has structures of its own for them.
    pub(super) copied_structs: HashSet<Handle<Type>>,
    pub(super) used_types: HashSet<Handle<Type>>,
    pub(super) uniformity: Uniformity,
    /// The extensions that what is written so far needs.
    extensions: RefCell<BTreeSet<&'static str>>,
}

/// The identifiers of everything that is declared at module scope.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Of structures.
    pub(super) types: Vec<Option<Name>>,
    /// Of structures' members.
    pub(super) members: HashMap<Handle<Type>, Vec<Name>>,
    /// Of the padding before a structure's first member.
    pub(super) paddings: HashMap<Handle<Type>, Name>,
    /// Of structures around array elements, and of the element in them.
    pub(super) wrappers: HashMap<Strided, (Name, Name)>,
    pub(super) constants: Vec<Option<Name>>,
    pub(super) overrides: Vec<Option<Name>>,
    pub(super) globals: Vec<Name>,
    pub(super) functions: Vec<Name>,
    pub(super) entry_points: Vec<Name>,
    /// Of parts of constants.
    pub(super) shared: Shared,
    /// Of functions that WGSL lacks.
    pub(super) polyfills: BTreeMap<Polyfill, Name>,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        module: &'a Module,
        info: &'a ModuleInfo,
        dialect: Dialect,
        predeclared: Predeclared,
    ) -> Result<Self, WriteError> {
        let layouts = Layouts::new(module)?;
        let used_types = used_types(module);
        let mut builtin_structs = builtin_structs(module);
        let copied_structs = copied_structs(module);
        builtin_structs.retain(|handle| !copied_structs.contains(handle));
        let polyfills = Polyfill::all(module, info);
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
            dialect,
            layouts,
            names,
            predeclared,
            builtin_structs,
            copied_structs,
            used_types,
            uniformity: Uniformity::of(module),
            extensions: RefCell::default(),
        })
    }

    /// Whether an expression calls a builtin function whose result is copied into a structure of
    /// the text.
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

    /// Notes that the text needs an extension.
    pub(super) fn enable(&self, extension: &'static str) {
        self.extensions.borrow_mut().insert(extension);
    }

    /// The extensions that the text needs, in the order of the alphabet.
    pub(super) fn enabled(&self) -> Vec<&'static str> {
        self.extensions.borrow().iter().copied().collect()
    }

    /// An error: the dialect has no words for `what`.
    pub(super) fn unsupported(&self, what: &str, place: Place<'_>) -> WriteError {
        WriteError::Unsupported {
            what: what.into(),
            place: place.to_string(),
            dialect: self.dialect.adjective(),
        }
    }

    /// An error unless the dialect is naga's.
    pub(super) fn naga_only(&self, what: &str, place: Place<'_>) -> Result<(), WriteError> {
        match self.dialect {
            Dialect::Naga => Ok(()),
            Dialect::WebGpu => Err(self.unsupported(what, place)),
        }
    }
}

/// The results of builtin functions whose types would have to be spelled.
fn copied_structs(module: &Module) -> HashSet<Handle<Type>> {
    let results: HashSet<_> = module
        .special_types
        .predeclared_types
        .values()
        .copied()
        .collect();
    if results.is_empty() {
        return results;
    }
    let mut spelled = HashSet::new();
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
    let functions = module.functions.iter().map(|(_, function)| function);
    let bodies = module.entry_points.iter().map(|it| &it.function);
    for function in functions.chain(bodies) {
        in_expressions(&function.expressions);
    }
    for (_, variable) in module.global_variables.iter() {
        note(variable.ty);
    }
    for (_, constant) in module.constants.iter() {
        note(constant.ty);
    }
    let functions = module.functions.iter().map(|(_, function)| function);
    let bodies = module.entry_points.iter().map(|it| &it.function);
    for function in functions.chain(bodies) {
        function.arguments.iter().for_each(|it| note(it.ty));
        function.result.iter().for_each(|it| note(it.ty));
        function
            .local_variables
            .iter()
            .for_each(|(_, it)| note(it.ty));
    }
    spelled
}

fn builtin_structs(module: &Module) -> HashSet<Handle<Type>> {
    let special = &module.special_types;
    let mut structs: HashSet<_> = special.predeclared_types.values().copied().collect();
    structs.extend(special.ray_desc);
    structs.extend(special.ray_intersection);
    structs.extend(special.ray_vertex_return);
    structs.extend(special.external_texture_params);
    structs.extend(special.external_texture_transfer_function);
    structs
}

impl Names {
    /// Entry points come first, for their names are what a program is called by, then overrides,
    /// whose names are too; everything else yields to them.
    fn new(
        module: &Module,
        layouts: &Layouts,
        predeclared: &Predeclared,
        (builtin_structs, used_types): (&HashSet<Handle<Type>>, &HashSet<Handle<Type>>),
        polyfills: &[Polyfill],
    ) -> Self {
        let mut taken = Taken::default();
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
        // A type that nothing uses is often an older version of one that something does.
        for is_used in [true, false] {
            for (handle, ty) in module.types.iter() {
                let TypeInner::Struct { ref members, .. } = ty.inner else {
                    continue;
                };
                if used_types.contains(&handle) == is_used {
                    names.name_members(handle, members, layouts);
                    names.types[handle.index()] = match builtin_structs.contains(&handle) {
                        true => builtin_name(module, handle),
                        false => Some(pick(ty.name.as_deref(), "Struct"))
                            .filter(|name| is_used || Some(&**name) == ty.name.as_deref()),
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
        names.shared = Shared::new(module, &names.constants, || pick(Some("part"), "part"));
        names
    }

    fn name_members(
        &mut self,
        handle: Handle<Type>,
        members: &[naga::StructMember],
        layouts: &Layouts,
    ) {
        // Members are always behind a point: they hide nothing.
        let free = Predeclared::Used(HashSet::new());
        let mut taken = Taken::default();
        let names = members
            .iter()
            .enumerate()
            .map(|(index, member)| {
                taken.pick(member.name.as_deref(), &format!("member_{index}"), &free)
            })
            .collect();
        self.members.insert(handle, names);
        if layouts
            .of_struct(handle)
            .is_some_and(|layout| layout.padding > 0)
        {
            self.paddings
                .insert(handle, taken.pick(Some("padding"), "padding", &free));
        }
    }

    /// The predeclared identifiers that the module's own names would hide.
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
        let functions = module.functions.iter().map(|(_, function)| function);
        let bodies = module
            .entry_points
            .iter()
            .map(|entry_point| &entry_point.function);
        for function in functions.chain(bodies) {
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

/// naga's ray types can be spelled; the results of builtin functions cannot.
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

/// A word for a type without a name.
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

/// The types that variables, constants, functions and other such types mention.
fn used_types(module: &Module) -> HashSet<Handle<Type>> {
    let mut open: Vec<Handle<Type>> = Vec::new();
    open.extend(
        module
            .global_variables
            .iter()
            .map(|(_, variable)| variable.ty),
    );
    open.extend(module.constants.iter().map(|(_, constant)| constant.ty));
    let functions = module.functions.iter().map(|(_, function)| function);
    let bodies = module
        .entry_points
        .iter()
        .map(|entry_point| &entry_point.function);
    let mentioned = |(_, expression): (_, &Expression)| match *expression {
        Expression::ZeroValue(ty) | Expression::Compose { ty, .. } => Some(ty),
        _ => None,
    };
    open.extend(module.global_expressions.iter().filter_map(mentioned));
    for function in functions.chain(bodies) {
        open.extend(function.arguments.iter().map(|argument| argument.ty));
        open.extend(function.result.iter().map(|result| result.ty));
        open.extend(function.local_variables.iter().map(|(_, local)| local.ty));
        open.extend(function.expressions.iter().filter_map(mentioned));
    }
    let mut used = HashSet::new();
    while let Some(handle) = open.pop() {
        if used.insert(handle) {
            match module.types[handle].inner {
                TypeInner::Struct { ref members, .. } => {
                    open.extend(members.iter().map(|member| member.ty));
                }
                TypeInner::Array { base, .. }
                | TypeInner::BindingArray { base, .. }
                | TypeInner::Pointer { base, .. } => open.push(base),
                _ => {}
            }
        }
    }
    used
}

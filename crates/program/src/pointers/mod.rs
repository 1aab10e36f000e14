//! Direct variable access: removes pointer parameters into memory that invocations share (Tint:
//! `DirectVariableAccess`).
//!
//! In: a module from a front end. Out: an equivalent module, in which every function with a pointer parameter into
//! `workgroup`, `storage` or another shared address space is specialized for the variables that its callers pass. WGSL
//! allows such parameters (`unrestricted_pointer_parameters`), naga's validator does not. A specialized function
//! accesses the global variable directly; dynamic indices become parameters.
//!
//! What always holds: a module without such functions is unchanged; callees come before callers; pointers into
//! `function` and `private` memory are unchanged. Functions with such parameters that are never called are dropped.
//!
//! Callers are visited before callees, so all variants of a function are known when it is visited; nothing recurses
//! along calls.

mod arguments;
mod calls;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use naga::{
    AddressSpace, Arena, Function, FunctionArgument, GlobalVariable, Handle, Module, Scalar, Span,
    Type, TypeInner,
};

use crate::walk;

/// Maximal number of specialized functions: it can grow exponentially with the text.
const MAX_VARIANTS: usize = 4096;

/// Maximal number of expressions and statements of these functions together.
const MAX_CODE: usize = 1_000_000;

/// Why a module was not rewritten.
pub(crate) enum Refusal {
    /// The argument at this location does not have the type of its parameter.
    ArgumentType {
        place: Option<Range<usize>>,
        function: String,
        argument: usize,
        required: Handle<Type>,
    },
    /// More than [`MAX_VARIANTS`] functions would be needed.
    TooMany,
    /// They would have more than [`MAX_CODE`] expressions and statements.
    TooLarge,
    /// A pointer with an unknown variable, or an index of an unusual type: naga's validator decides.
    Unknown,
}

impl Refusal {
    pub(crate) fn too_many(file: &str) -> String {
        format!(
            "{file} needs more than {MAX_VARIANTS} variants of functions with pointers into shared memory"
        )
    }

    pub(crate) fn too_large(file: &str) -> String {
        format!(
            "{file} needs variants of functions with pointers into shared memory of more than {MAX_CODE} expressions and statements"
        )
    }
}

/// An access chain: a variable and the steps to a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AccessChain {
    variable: Handle<GlobalVariable>,
    steps: Vec<ChainStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ChainStep {
    /// A member, or a matrix column with a constant index.
    Known(u32),
    /// An array element; its index becomes a parameter of this type.
    Index(Handle<Type>),
}

/// A function and the access chains of its shared pointer parameters, in the order of parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Variant {
    function: Handle<Function>,
    chains: Vec<AccessChain>,
}

/// The code of a variant; `calls` has the variants of its calls, in the order of statements.
struct SpecializedFunction {
    code: Function,
    calls: Vec<Variant>,
}

/// The types of indices that can become parameters.
struct IndexTypes {
    i32: Handle<Type>,
    u32: Handle<Type>,
}

/// The module without pointer parameters into shared memory; `None` if there are none.
pub(crate) fn without_shared_pointers(module: &Module) -> Result<Option<Module>, Refusal> {
    let takes_pointers = |(_, function): (_, &Function)| shared(module, function).next().is_some();
    if !module.functions.iter().any(takes_pointers) {
        return Ok(None);
    }
    let mut module = module.clone();
    let index_types = IndexTypes {
        i32: scalar_type(&mut module, Scalar::I32),
        u32: scalar_type(&mut module, Scalar::U32),
    };
    let mut entry_points = Vec::new();
    let mut requests = VariantWorklist::default();
    for entry_point in &module.entry_points {
        let code = calls::specialized(&module, entry_point.function.clone(), &index_types)?;
        requests.extend(&code.calls)?;
        entry_points.push(code);
    }
    let handles: Vec<_> = module.functions.iter().map(|(handle, _)| handle).collect();
    let mut made = HashMap::new();
    let mut size = 0;
    for handle in handles.iter().rev() {
        let function = &module.functions[*handle];
        if shared(&module, function).next().is_none() {
            requests.add(Variant {
                function: *handle,
                chains: Vec::new(),
            })?;
        }
        let variants = requests.of(*handle);
        if variants.iter().any(|variant| !variant.chains.is_empty()) {
            size += variants.len() * size_of(function);
        }
        if size > MAX_CODE {
            return Err(Refusal::TooLarge);
        }
        for variant in variants {
            let code = arguments::replaced(&module, function, &variant.chains);
            let code = calls::specialized(&module, code, &index_types)?;
            requests.extend(&code.calls)?;
            made.insert(variant, code);
        }
    }
    assemble(&mut module, &handles, &requests, made, entry_points);
    Ok(Some(module))
}

/// Number of expressions and statements of a function.
fn size_of(function: &Function) -> usize {
    function.expressions.len() + walk::statements(&function.body).count()
}

/// The requested variants, each once, in the order of first request.
#[derive(Default)]
struct VariantWorklist {
    of: HashMap<Handle<Function>, Vec<Variant>>,
    known: HashSet<Variant>,
    /// Number of variants with access chains; functions that are not specialized do not count.
    specialized: usize,
}

impl VariantWorklist {
    fn add(&mut self, variant: Variant) -> Result<(), Refusal> {
        if self.known.insert(variant.clone()) {
            self.specialized += usize::from(!variant.chains.is_empty());
            if self.specialized > MAX_VARIANTS {
                return Err(Refusal::TooMany);
            }
            self.of.entry(variant.function).or_default().push(variant);
        }
        Ok(())
    }

    fn extend(&mut self, variants: &[Variant]) -> Result<(), Refusal> {
        variants
            .iter()
            .cloned()
            .try_for_each(|variant| self.add(variant))
    }

    fn of(&self, function: Handle<Function>) -> Vec<Variant> {
        self.of.get(&function).cloned().unwrap_or_default()
    }
}

/// Replaces the module's functions by the variants, callees first, and links the calls.
fn assemble(
    module: &mut Module,
    order: &[Handle<Function>],
    requests: &VariantWorklist,
    mut made: HashMap<Variant, SpecializedFunction>,
    entry_points: Vec<SpecializedFunction>,
) {
    let mut functions = Arena::new();
    let mut handles = HashMap::new();
    for handle in order {
        let span = module.functions.get_span(*handle);
        for variant in requests.of(*handle) {
            let Some(code) = made.remove(&variant) else {
                continue;
            };
            let code = calls::linked(code, &handles);
            handles.insert(variant, functions.append(code, span));
        }
    }
    for (entry_point, code) in module.entry_points.iter_mut().zip(entry_points) {
        entry_point.function = calls::linked(code, &handles);
    }
    module.functions = functions;
}

fn scalar_type(module: &mut Module, scalar: Scalar) -> Handle<Type> {
    let ty = Type {
        name: None,
        inner: TypeInner::Scalar(scalar),
    };
    module.types.insert(ty, Span::UNDEFINED)
}

/// The indices of the parameters that are pointers into shared memory.
fn shared<'a>(module: &'a Module, function: &'a Function) -> impl Iterator<Item = usize> + 'a {
    let arguments = function.arguments.iter().enumerate();
    arguments
        .filter(|(_, argument)| is_shared(module, argument))
        .map(|(number, _)| number)
}

fn is_shared(module: &Module, argument: &FunctionArgument) -> bool {
    let space = module.types[argument.ty].inner.pointer_space();
    space.is_some_and(|space| !matches!(space, AddressSpace::Function | AddressSpace::Private))
}

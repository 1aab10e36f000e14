//! Direct variable access: no function takes a pointer into memory that invocations share.
//!
//! In: a module as a front end makes it. Out: the same program, in which every function that takes a pointer into
//! `workgroup`, `storage` or another shared address space is specialised for the variables that its callers pass, as
//! WGSL's `unrestricted_pointer_parameters` allows and naga's validator does not. A specialised function begins at the
//! global variable itself; indices of the pointer into arrays become parameters. What always holds:
//! a module without such functions is not touched, callees come before callers, and pointers into `function` and
//! `private` memory stay as they are. Functions that are never called with a pointer are dropped.
//!
//! The algorithm visits callers before callees, so that all variants of a function are known when its turn comes;
//! nothing recurses along calls.

mod arguments;
mod calls;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use naga::{
    AddressSpace, Arena, Function, FunctionArgument, GlobalVariable, Handle, Module, Scalar, Span,
    Type, TypeInner,
};

use crate::operands;

/// The most functions that specialising may make: their number can grow exponentially with the text.
const MAX_VARIANTS: usize = 4096;

/// The most expressions and statements of these functions together.
const MAX_CODE: usize = 1_000_000;

/// Why a module was not rewritten.
pub(crate) enum Refusal {
    /// An argument at this place does not have the type of its parameter.
    ArgumentType {
        place: Option<Range<usize>>,
        function: String,
        argument: usize,
        required: Handle<Type>,
    },
    /// There would be more than [`MAX_VARIANTS`] functions.
    TooMany,
    /// They would have more than [`MAX_CODE`] expressions and statements.
    TooLarge,
    /// A pointer whose variable is not known here, or an index of an unusual type: naga's validator has the last word.
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

/// What a pointer points to: a variable, and the way to a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    variable: Handle<GlobalVariable>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// A member, or a column of a matrix whose index is constant.
    Known(u32),
    /// An element whose index, of this type, is a parameter.
    Index(Handle<Type>),
}

/// A function and the places of its pointers into shared memory, in the order of its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Variant {
    function: Handle<Function>,
    places: Vec<Place>,
}

/// A variant's code; `calls` says which variants its calls are of, in the order of the statements.
struct Specialised {
    code: Function,
    calls: Vec<Variant>,
}

/// The types of indices that can become parameters.
struct IndexTypes {
    i32: Handle<Type>,
    u32: Handle<Type>,
}

/// The module without pointers into shared memory as parameters; `None` if it has none.
pub(crate) fn without_shared_pointers(module: &Module) -> Result<Option<Module>, Refusal> {
    let takes_pointers = |(_, it): (_, &Function)| shared(module, it).next().is_some();
    if !module.functions.iter().any(takes_pointers) {
        return Ok(None);
    }
    let mut module = module.clone();
    let index_types = IndexTypes {
        i32: scalar_type(&mut module, Scalar::I32),
        u32: scalar_type(&mut module, Scalar::U32),
    };
    let mut entry_points = Vec::new();
    let mut wanted = Wanted::default();
    for entry_point in &module.entry_points {
        let code = calls::specialised(&module, entry_point.function.clone(), &index_types)?;
        wanted.extend(&code.calls)?;
        entry_points.push(code);
    }
    let handles: Vec<_> = module.functions.iter().map(|(handle, _)| handle).collect();
    let mut made = HashMap::new();
    let mut size = 0;
    for handle in handles.iter().rev() {
        let function = &module.functions[*handle];
        if shared(&module, function).next().is_none() {
            wanted.add(Variant {
                function: *handle,
                places: Vec::new(),
            })?;
        }
        let variants = wanted.of(*handle);
        if variants.iter().any(|it| !it.places.is_empty()) {
            size += variants.len() * size_of(function);
        }
        if size > MAX_CODE {
            return Err(Refusal::TooLarge);
        }
        for variant in variants {
            let code = arguments::replaced(&module, function, &variant.places);
            let code = calls::specialised(&module, code, &index_types)?;
            wanted.extend(&code.calls)?;
            made.insert(variant, code);
        }
    }
    assemble(&mut module, &handles, &wanted, made, entry_points);
    Ok(Some(module))
}

/// Expressions and statements of a function.
fn size_of(function: &Function) -> usize {
    let mut size = function.expressions.len();
    let mut blocks = vec![&function.body];
    while let Some(block) = blocks.pop() {
        size += block.len();
        blocks.extend(block.iter().flat_map(operands::blocks_of));
    }
    size
}

/// The variants that calls ask for, each once, in the order in which they are first asked for.
#[derive(Default)]
struct Wanted {
    of: HashMap<Handle<Function>, Vec<Variant>>,
    known: HashSet<Variant>,
    /// How many of them have places: functions that are taken as they are do not count.
    specialised: usize,
}

impl Wanted {
    fn add(&mut self, variant: Variant) -> Result<(), Refusal> {
        if self.known.insert(variant.clone()) {
            self.specialised += usize::from(!variant.places.is_empty());
            if self.specialised > MAX_VARIANTS {
                return Err(Refusal::TooMany);
            }
            self.of.entry(variant.function).or_default().push(variant);
        }
        Ok(())
    }

    fn extend(&mut self, variants: &[Variant]) -> Result<(), Refusal> {
        variants.iter().cloned().try_for_each(|it| self.add(it))
    }

    fn of(&self, function: Handle<Function>) -> Vec<Variant> {
        self.of.get(&function).cloned().unwrap_or_default()
    }
}

/// Puts the variants into the module, callees first, and lets calls name them.
fn assemble(
    module: &mut Module,
    order: &[Handle<Function>],
    wanted: &Wanted,
    mut made: HashMap<Variant, Specialised>,
    entry_points: Vec<Specialised>,
) {
    let mut functions = Arena::new();
    let mut handles = HashMap::new();
    for handle in order {
        let span = module.functions.get_span(*handle);
        for variant in wanted.of(*handle) {
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

/// The numbers of the parameters that are pointers into shared memory.
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

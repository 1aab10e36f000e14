//! Which functions are compiled once and called, and what follows from that for variables.
//!
//! In: a module and an entry point. Out: for each function whether its calls are real ones; all other functions are put
//! in the place of their calls. What always holds: code that is there several times has less than [`LEAST`] instructions
//! or costs less than [`GAIN`] in all, if it may be called at all; so the size of a kernel grows with that of the
//! shader, however its functions call each other. What cannot be called may be there exponentially often: the meter of
//! the lowering stops that.
//!
//! A function cannot be called if it waits at a barrier, or if it is given a pointer that is more than the address of
//! a variable of an invocation, or a texture. Those are inlined at every call.
//!
//! Variables that a called function touches lie in memory, since values do not outlive a function: private variables
//! that it uses, and whatever it is given a pointer to.

use naga::valid::{FunctionInfo, GlobalUse, ModuleInfo};
use naga::{
    AddressSpace, Block, Expression, Function, GlobalVariable, Handle, MathFunction, Module,
    Statement, TypeInner,
};

use crate::ir::Reach;

use super::shape::Shapes;

/// A function with fewer instructions than about these is never called: the call would cost as much.
const LEAST: u64 = 150;

/// Copies of a function that have in all fewer instructions than about these are made: each is made for its place, where
/// more is known of its arguments.
const GAIN: u64 = 3_000;

/// What a call costs.
const CALL: u64 = 10;

/// Which functions are called rather than inlined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// Those that are large and called from several places.
    #[default]
    Large,
    /// All that can be called, for tests.
    All,
}

/// Which functions are called, and what that means for their arguments.
pub(super) struct Plan {
    /// By function: whether it is called.
    is_called: Vec<bool>,
    /// Whether a function is inlined that could be called.
    inlines: bool,
    /// By function and argument: whether what a pointer points to must be in memory.
    escapes: Vec<Vec<bool>>,
    /// By function: whether it calls any.
    calls: Vec<bool>,
    /// By variable of the module: whether it must be in memory.
    in_memory: Vec<bool>,
}

/// A call in a function.
struct Site {
    function: Handle<Function>,
    arguments: Vec<Handle<Expression>>,
}

impl Plan {
    /// Of an entry point, by its number.
    pub(super) fn new(
        module: &Module,
        info: &ModuleInfo,
        shapes: &Shapes<'_>,
        entry: usize,
        calls: Calls,
    ) -> Self {
        let functions = || module.functions.iter();
        let sites: Vec<_> = functions().map(|(_, it)| sites(&it.body)).collect();
        let entry_function = &module.entry_points[entry].function;
        let entry_sites = self::sites(&entry_function.body);
        let mut can_be = can_be_called(module, &sites);
        exclude_pointers(module, &sites, (entry_function, &entry_sites), &mut can_be);
        let own = functions().map(|(it, function)| cost(module, &info[it], shapes, function));
        let own: Vec<u64> = own.collect();
        let is_called = match calls {
            Calls::All => can_be.clone(),
            Calls::Large => {
                let mut large = large(&own, &sites, &entry_sites, &can_be);
                keep_shared(&sites, &entry_sites, &mut large);
                large
            }
        };
        let escapes = escapes(module, &sites, &is_called);
        let mut plan = Self {
            calls: callers(&sites, &is_called),
            in_memory: vec![false; module.global_variables.len()],
            inlines: is_called != can_be,
            is_called,
            escapes,
        };
        plan.find_private(module, info, &sites, (entry_function, &entry_sites));
        plan
    }

    /// Whether a function is called; else it is inlined.
    pub(super) fn is_called(&self, function: Handle<Function>) -> bool {
        self.is_called[function.index()]
    }

    /// Whether a function is inlined that could be called.
    pub(super) fn inlines(&self) -> bool {
        self.inlines
    }

    /// Whether a function itself calls any.
    pub(super) fn calls(&self, function: Handle<Function>) -> bool {
        self.calls[function.index()]
    }

    /// Whether what a function's argument points to must be in memory.
    fn escapes(&self, function: Handle<Function>, argument: usize) -> bool {
        self.escapes[function.index()][argument]
    }

    /// Whether a private variable must be in memory.
    pub(super) fn is_in_memory(&self, variable: Handle<GlobalVariable>) -> bool {
        self.in_memory[variable.index()]
    }

    /// By variable of a function: whether it must be in memory, as a function that is called is given a pointer to it.
    pub(super) fn escaping(&self, function: &Function) -> Vec<bool> {
        let mut escaping = vec![false; function.local_variables.len()];
        for (site, place) in self.escaping_arguments(&sites(&function.body)) {
            if let Expression::LocalVariable(local) = root(function, site.arguments[place]) {
                escaping[local.index()] = true;
            }
        }
        escaping
    }

    fn escaping_arguments<'s>(&self, sites: &'s [Site]) -> impl Iterator<Item = (&'s Site, usize)> {
        let all = sites
            .iter()
            .flat_map(|site| (0..site.arguments.len()).map(move |place| (site, place)));
        all.filter(|(site, place)| self.escapes(site.function, *place))
    }

    fn find_private(
        &mut self,
        module: &Module,
        info: &ModuleInfo,
        sites: &[Vec<Site>],
        entry: (&Function, &[Site]),
    ) {
        for (handle, _) in module.functions.iter() {
            if !self.is_called(handle) {
                continue;
            }
            for (variable, _) in module.global_variables.iter() {
                self.in_memory[variable.index()] |= !info[handle][variable].is_empty();
            }
        }
        let functions = module.functions.iter().map(|it| it.1);
        let functions = functions.zip(sites.iter().map(Vec::as_slice));
        for (function, sites) in functions.chain([entry]) {
            let mut found = Vec::new();
            for (site, place) in self.escaping_arguments(sites) {
                if let Expression::GlobalVariable(variable) = root(function, site.arguments[place])
                {
                    found.push(variable);
                }
            }
            for variable in found {
                self.in_memory[variable.index()] = true;
            }
        }
    }
}

/// What a function changes, with those that it calls. Texels that are written do not count, as no code reads them by itself.
pub(super) fn reach(module: &Module, info: &FunctionInfo) -> Reach {
    let changes = |(handle, variable): (Handle<GlobalVariable>, &GlobalVariable)| {
        let is_shared = !matches!(variable.space, AddressSpace::Private | AddressSpace::Handle);
        is_shared && info[handle].intersects(!(GlobalUse::READ | GlobalUse::QUERY))
    };
    match module.global_variables.iter().any(changes) {
        true => Reach::Everything,
        false => Reach::Frame,
    }
}

/// The calls of a block and of the blocks in it.
fn sites(block: &Block) -> Vec<Site> {
    let mut sites = Vec::new();
    each(block, &mut |statement| {
        if let Statement::Call {
            function,
            arguments,
            ..
        } = statement
        {
            sites.push(Site {
                function: *function,
                arguments: arguments.clone(),
            });
        }
    });
    sites
}

/// Every statement of a block and of the blocks in it.
fn each(block: &Block, found: &mut impl FnMut(&Statement)) {
    for statement in block {
        found(statement);
        match statement {
            Statement::Block(block) => each(block, found),
            Statement::If { accept, reject, .. } => {
                each(accept, found);
                each(reject, found);
            }
            Statement::Switch { cases, .. } => {
                cases.iter().for_each(|case| each(&case.body, found));
            }
            Statement::Loop {
                body, continuing, ..
            } => {
                each(body, found);
                each(continuing, found);
            }
            _ => {}
        }
    }
}

/// By function: whether it neither waits, nor is given anything but values and pointers to variables of an invocation.
fn can_be_called(module: &Module, sites: &[Vec<Site>]) -> Vec<bool> {
    let mut waits: Vec<bool> = Vec::with_capacity(sites.len());
    // Functions come behind those that they call.
    for ((_, function), sites) in module.functions.iter().zip(sites) {
        let mut is_waiting = sites.iter().any(|it| waits[it.function.index()]);
        each(&function.body, &mut |statement| {
            is_waiting |= matches!(
                statement,
                Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. }
            );
        });
        waits.push(is_waiting);
    }
    let functions = module.functions.iter();
    let are_plain = functions.map(|(_, function)| {
        let mut arguments = function.arguments.iter();
        arguments.all(|it| match module.types[it.ty].inner {
            TypeInner::Pointer { space, .. } => is_own(space),
            TypeInner::ValuePointer { .. }
            | TypeInner::Image { .. }
            | TypeInner::Sampler { .. }
            | TypeInner::AccelerationStructure { .. }
            | TypeInner::RayQuery { .. }
            | TypeInner::BindingArray { .. } => false,
            _ => true,
        })
    });
    let both = are_plain.zip(waits);
    both.map(|(is_plain, waits)| is_plain && !waits).collect()
}

/// Whether a variable in a space belongs to one invocation.
fn is_own(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Function | AddressSpace::Private)
}

/// Takes out functions that are anywhere given a pointer that was found by an index.
fn exclude_pointers(
    module: &Module,
    sites: &[Vec<Site>],
    entry: (&Function, &[Site]),
    can_be: &mut [bool],
) {
    let counts = module.functions.iter().map(|it| it.1.arguments.len());
    let mut is_found: Vec<_> = counts.map(|it| vec![false; it]).collect();
    // Functions come behind those that they call, so that from the last on each knows what it is given.
    let own = vec![false; entry.0.arguments.len()];
    mark_found(entry.0, entry.1, &own, &mut is_found);
    let functions: Vec<_> = module.functions.iter().collect();
    for (handle, function) in functions.into_iter().rev() {
        let own = is_found[handle.index()].clone();
        mark_found(function, &sites[handle.index()], &own, &mut is_found);
        let is_pointer = |ty| module.types[ty].inner.pointer_space().is_some();
        let mut arguments = function.arguments.iter().zip(own);
        let is_given = arguments.any(|(argument, is_found)| is_found && is_pointer(argument.ty));
        can_be[handle.index()] &= !is_given;
    }
}

/// Notes which arguments of calls are found by an index; `own` are the arguments of the caller that are.
fn mark_found(function: &Function, sites: &[Site], own: &[bool], is_found: &mut [Vec<bool>]) {
    for site in sites {
        for (place, given) in site.arguments.iter().enumerate() {
            is_found[site.function.index()][place] |= match root(function, *given) {
                Expression::Access { .. } => true,
                Expression::FunctionArgument(index) => own[index as usize],
                _ => false,
            };
        }
    }
}

/// What a pointer begins with: a variable, an argument, or an element that is found by an index.
fn root(function: &Function, pointer: Handle<Expression>) -> Expression {
    let mut at = pointer;
    while let Expression::AccessIndex { base, .. } = function.expressions[at] {
        at = base;
    }
    function.expressions[at].clone()
}

/// About how many instructions a function has, without those that it calls.
fn cost(module: &Module, info: &FunctionInfo, shapes: &Shapes<'_>, function: &Function) -> u64 {
    let scalars = |it: Handle<Expression>| {
        let inner = info[it].ty.inner_with(&module.types);
        shapes.scalars(inner).map_or(1, |it| it as u64)
    };
    let expressions = function.expressions.iter().map(|(handle, expression)| {
        let each = match expression {
            Expression::Binary { .. }
            | Expression::Unary { .. }
            | Expression::As { .. }
            | Expression::Relational { .. }
            | Expression::Select { .. } => 1,
            Expression::Load { .. } | Expression::Access { .. } => 2,
            Expression::Math { fun, .. } => math_cost(*fun),
            Expression::ImageSample { .. } | Expression::ImageLoad { .. } => 8,
            _ => 0,
        };
        each * scalars(handle)
    });
    let mut statements = 0;
    each(&function.body, &mut |_| statements += 2);
    expressions.sum::<u64>() + statements
}

/// About how many instructions a builtin function takes for each scalar.
fn math_cost(function: MathFunction) -> u64 {
    use MathFunction as M;
    match function {
        M::Sin | M::Cos | M::Tan | M::Asin | M::Acos | M::Atan | M::Atan2 => 30,
        M::Exp | M::Exp2 | M::Log | M::Log2 => 15,
        M::Pow | M::Sinh | M::Cosh | M::Tanh | M::Asinh | M::Acosh | M::Atanh => 40,
        M::Determinant | M::Inverse => 30,
        _ => 3,
    }
}

/// By function: whether it can be called and copies of it would cost too much.
fn large(own: &[u64], sites: &[Vec<Site>], entry_sites: &[Site], can_be: &[bool]) -> Vec<bool> {
    let mut copies = vec![0u64; own.len()];
    let add = |sites: &[Site], by: u64, copies: &mut Vec<u64>| {
        for site in sites {
            let count = &mut copies[site.function.index()];
            *count = count.saturating_add(by);
        }
    };
    add(entry_sites, 1, &mut copies);
    for function in (0..own.len()).rev() {
        let count = copies[function];
        add(&sites[function], count, &mut copies);
    }
    let mut sizes: Vec<u64> = Vec::with_capacity(own.len());
    let mut is_called: Vec<bool> = Vec::with_capacity(own.len());
    for (function, own) in own.iter().enumerate() {
        let inside = sites[function].iter().map(|it| it.function.index());
        let inside = inside.map(|it| match is_called[it] {
            true => CALL,
            false => sizes[it],
        });
        let size = inside.fold(*own, u64::saturating_add);
        let gain = copies[function].saturating_sub(1).saturating_mul(size);
        is_called.push(can_be[function] && size >= LEAST && gain >= GAIN);
        sizes.push(size);
    }
    is_called
}

/// Takes out functions that would be called from one place: what is around them is there only once itself.
fn keep_shared(sites: &[Vec<Site>], entry_sites: &[Site], is_called: &mut [bool]) {
    let mut places = vec![0u64; is_called.len()];
    for site in entry_sites {
        places[site.function.index()] += 1;
    }
    for function in (0..is_called.len()).rev() {
        is_called[function] &= places[function] > 1;
        let times = match is_called[function] {
            true => 1,
            false => places[function],
        };
        for site in &sites[function] {
            let count = &mut places[site.function.index()];
            *count = count.saturating_add(times);
        }
    }
}

/// By function: whether it calls one, also through functions that are inlined.
fn callers(sites: &[Vec<Site>], is_called: &[bool]) -> Vec<bool> {
    let mut calls: Vec<bool> = Vec::with_capacity(sites.len());
    for sites in sites {
        let mut inside = sites.iter().map(|it| it.function.index());
        calls.push(inside.any(|it| is_called[it] || calls[it]));
    }
    calls
}

/// By function and argument: whether a function that is called gets it as a pointer.
fn escapes(module: &Module, sites: &[Vec<Site>], is_called: &[bool]) -> Vec<Vec<bool>> {
    let mut escapes: Vec<Vec<bool>> = Vec::with_capacity(sites.len());
    for ((handle, function), sites) in module.functions.iter().zip(sites) {
        let is_pointer = |ty| module.types[ty].inner.pointer_space().is_some();
        let mut own = vec![false; function.arguments.len()];
        if is_called[handle.index()] {
            let arguments = function.arguments.iter();
            own = arguments.map(|it| is_pointer(it.ty)).collect();
        }
        for site in sites {
            for (given, escapes) in site.arguments.iter().zip(&escapes[site.function.index()]) {
                if let Expression::FunctionArgument(index) = root(function, *given)
                    && *escapes
                {
                    own[index as usize] = true;
                }
            }
        }
        escapes.push(own);
    }
    escapes
}

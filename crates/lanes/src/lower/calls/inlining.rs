//! Inlining decisions: which functions are compiled once and called.
//!
//! In: a module and an entry point. Out: for each function whether it is called; all others are inlined. A call
//! graph traversal in naga's order (callees first) estimates the size of each function and the number of its
//! copies.
//!
//! What always holds: a callable function that is inlined more than once has fewer than [`MIN_CALLED_COST`]
//! instructions, or its copies cost less than [`MAX_DUPLICATED_COST`] in all. So the size of a kernel is linear in
//! that of the shader, whatever its call graph. Functions that cannot be called may be duplicated exponentially
//! often; the work meter of the lowering stops that.
//!
//! A function cannot be called if it executes a barrier, or if it takes a texture, or a pointer other than to a
//! statically known part of a variable of the invocation. Such functions are inlined at every call.
//!
//! Variables that a called function accesses must be in memory, since SSA values are local to a function: private
//! variables that it uses, and variables to which it is given a pointer (escape analysis).

use anywarp_program::walk;
use naga::valid::{FunctionInfo, GlobalUse, ModuleInfo};
use naga::{
    AddressSpace, Block, Expression, Function, GlobalVariable, Handle, MathFunction, Module,
    Statement, TypeInner,
};

use crate::ir::CalleeWrites;

use crate::lower::memory::layout::Shapes;

/// Functions with a lower estimated cost than this are always inlined: a call would cost as much.
const MIN_CALLED_COST: u64 = 150;

/// Functions are inlined as long as all their copies together cost less than this: a copy is specialized for its
/// call site.
const MAX_DUPLICATED_COST: u64 = 3_000;

/// The estimated cost of a call.
const CALL_COST: u64 = 10;

/// Which functions are called rather than inlined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CallPolicy {
    /// Large functions that are called from several places.
    #[default]
    Large,
    /// Every function that can be called, for tests.
    All,
}

/// The inlining decisions, and what they imply for variables.
pub(in crate::lower) struct Plan {
    /// By function: whether it is called.
    is_called: Vec<bool>,
    /// Whether a function is inlined that could be called.
    inlines: bool,
    /// By function and argument: whether the variable that the pointer argument points to must be in memory.
    escapes: Vec<Vec<bool>>,
    /// By function: whether it makes calls.
    calls: Vec<bool>,
    /// By module variable: whether it must be in memory.
    in_memory: Vec<bool>,
}

/// A call site.
struct CallSite {
    function: Handle<Function>,
    arguments: Vec<Handle<Expression>>,
}

impl Plan {
    /// Makes the decisions for the entry point with this index.
    pub(in crate::lower) fn new(
        module: &Module,
        info: &ModuleInfo,
        shapes: &Shapes<'_>,
        entry: usize,
        calls: CallPolicy,
    ) -> Self {
        let functions = || module.functions.iter();
        let sites: Vec<_> = functions()
            .map(|(_, function)| sites(&function.body))
            .collect();
        let entry_function = &module.entry_points[entry].function;
        let entry_sites = self::sites(&entry_function.body);
        let mut is_callable = can_be_called(module, &sites);
        exclude_pointers(
            module,
            &sites,
            (entry_function, &entry_sites),
            &mut is_callable,
        );
        let own =
            functions().map(|(handle, function)| cost(module, &info[handle], shapes, function));
        let own: Vec<u64> = own.collect();
        let is_called = match calls {
            CallPolicy::All => is_callable.clone(),
            CallPolicy::Large => {
                let mut called = too_large_to_inline(&own, &sites, &entry_sites, &is_callable);
                inline_single_call_sites(&sites, &entry_sites, &mut called);
                called
            }
        };
        let escapes = escapes(module, &sites, &is_called);
        let mut plan = Self {
            calls: callers(&sites, &is_called),
            in_memory: vec![false; module.global_variables.len()],
            inlines: is_called != is_callable,
            is_called,
            escapes,
        };
        plan.find_private(module, info, &sites, (entry_function, &entry_sites));
        plan
    }

    /// Whether a function is called; otherwise it is inlined.
    pub(in crate::lower) fn is_called(&self, function: Handle<Function>) -> bool {
        self.is_called[function.index()]
    }

    /// Whether a function is inlined that could be called.
    pub(in crate::lower) fn inlines(&self) -> bool {
        self.inlines
    }

    /// Whether a function makes calls, directly or through functions that are inlined in it.
    pub(in crate::lower) fn calls(&self, function: Handle<Function>) -> bool {
        self.calls[function.index()]
    }

    /// Whether the variable that a pointer argument points to must be in memory.
    fn escapes(&self, function: Handle<Function>, argument: usize) -> bool {
        self.escapes[function.index()][argument]
    }

    /// Whether a private variable must be in memory.
    pub(in crate::lower) fn is_in_memory(&self, variable: Handle<GlobalVariable>) -> bool {
        self.in_memory[variable.index()]
    }

    /// By local variable of a function: whether it must be in memory because its address is passed to a called
    /// function.
    pub(in crate::lower) fn escaping(&self, function: &Function) -> Vec<bool> {
        let mut escaping = vec![false; function.local_variables.len()];
        for (site, place) in self.escaping_arguments(&sites(&function.body)) {
            if let Expression::LocalVariable(local) = root(function, site.arguments[place]) {
                escaping[local.index()] = true;
            }
        }
        escaping
    }

    fn escaping_arguments<'s>(
        &self,
        sites: &'s [CallSite],
    ) -> impl Iterator<Item = (&'s CallSite, usize)> {
        let all = sites
            .iter()
            .flat_map(|site| (0..site.arguments.len()).map(move |place| (site, place)));
        all.filter(|(site, place)| self.escapes(site.function, *place))
    }

    fn find_private(
        &mut self,
        module: &Module,
        info: &ModuleInfo,
        sites: &[Vec<CallSite>],
        entry: (&Function, &[CallSite]),
    ) {
        for (handle, _) in module.functions.iter() {
            if !self.is_called(handle) {
                continue;
            }
            for (variable, _) in module.global_variables.iter() {
                self.in_memory[variable.index()] |= !info[handle][variable].is_empty();
            }
        }
        let functions = module
            .functions
            .iter()
            .map(|function| function.1)
            .zip(sites.iter().map(Vec::as_slice));
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

/// The memory effects of a function and its callees. Texel writes do not count, since code itself never reads
/// texels that are written.
pub(in crate::lower) fn callee_writes(module: &Module, info: &FunctionInfo) -> CalleeWrites {
    let changes = |(handle, variable): (Handle<GlobalVariable>, &GlobalVariable)| {
        let is_shared = !matches!(variable.space, AddressSpace::Private | AddressSpace::Handle);
        is_shared && info[handle].intersects(!(GlobalUse::READ | GlobalUse::QUERY))
    };
    if module.global_variables.iter().any(changes) {
        CalleeWrites::Everything
    } else {
        CalleeWrites::Frame
    }
}

/// The call sites in a block, nested blocks included.
fn sites(block: &Block) -> Vec<CallSite> {
    let sites = walk::statements(block).filter_map(|statement| match statement {
        Statement::Call {
            function,
            arguments,
            ..
        } => Some(CallSite {
            function: *function,
            arguments: arguments.clone(),
        }),
        _ => None,
    });
    sites.collect()
}

/// Whether a statement is a barrier, or contains one.
pub(in crate::lower) fn is_barrier(statement: &Statement) -> bool {
    matches!(
        statement,
        Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. }
    )
}

/// By function: whether it executes no barrier and takes only values and pointers to variables of the invocation.
fn can_be_called(module: &Module, sites: &[Vec<CallSite>]) -> Vec<bool> {
    let mut has_barrier: Vec<bool> = Vec::with_capacity(sites.len());
    // Functions come after their callees.
    for ((_, function), sites) in module.functions.iter().zip(sites) {
        let is_in_callee = sites.iter().any(|site| has_barrier[site.function.index()]);
        let executes_barrier = is_in_callee || walk::statements(&function.body).any(is_barrier);
        has_barrier.push(executes_barrier);
    }
    let functions = module.functions.iter();
    let are_plain = functions.map(|(_, function)| {
        let mut arguments = function.arguments.iter();
        arguments.all(|argument| match module.types[argument.ty].inner {
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
    let both = are_plain.zip(has_barrier);
    both.map(|(is_plain, has_barrier)| is_plain && !has_barrier)
        .collect()
}

/// Whether variables in an address space belong to one invocation.
fn is_own(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Function | AddressSpace::Private)
}

/// Excludes functions that are anywhere given a pointer to an element found by an index.
fn exclude_pointers(
    module: &Module,
    sites: &[Vec<CallSite>],
    entry: (&Function, &[CallSite]),
    is_callable: &mut [bool],
) {
    let counts = module
        .functions
        .iter()
        .map(|function| function.1.arguments.len());
    let mut is_indexed: Vec<_> = counts.map(|count| vec![false; count]).collect();
    // Functions come after their callees, so a reverse walk knows the arguments of each.
    let own = vec![false; entry.0.arguments.len()];
    mark_indexed(entry.0, entry.1, &own, &mut is_indexed);
    let functions: Vec<_> = module.functions.iter().collect();
    for (handle, function) in functions.into_iter().rev() {
        let own = is_indexed[handle.index()].clone();
        mark_indexed(function, &sites[handle.index()], &own, &mut is_indexed);
        let is_pointer = |ty| module.types[ty].inner.pointer_space().is_some();
        let mut arguments = function.arguments.iter().zip(own);
        let is_given =
            arguments.any(|(argument, is_indexed)| is_indexed && is_pointer(argument.ty));
        is_callable[handle.index()] &= !is_given;
    }
}

/// Marks the arguments of calls that are found by an index; `own` says the same of the caller's arguments.
fn mark_indexed(
    function: &Function,
    sites: &[CallSite],
    own: &[bool],
    is_indexed: &mut [Vec<bool>],
) {
    for site in sites {
        for (place, given) in site.arguments.iter().enumerate() {
            is_indexed[site.function.index()][place] |= match root(function, *given) {
                Expression::Access { .. } => true,
                Expression::FunctionArgument(index) => own[index as usize],
                _ => false,
            };
        }
    }
}

/// The root of a pointer: a variable, an argument, or an element that is found by an index.
fn root(function: &Function, pointer: Handle<Expression>) -> Expression {
    let mut at = pointer;
    while let Expression::AccessIndex { base, .. } = function.expressions[at] {
        at = base;
    }
    function.expressions[at].clone()
}

/// The estimated number of instructions of a function, without its callees.
fn cost(module: &Module, info: &FunctionInfo, shapes: &Shapes<'_>, function: &Function) -> u64 {
    let scalars = |expression: Handle<Expression>| {
        let inner = info[expression].ty.inner_with(&module.types);
        shapes.scalars(inner).map_or(1, |count| count as u64)
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
    let statements = walk::statements(&function.body).count() as u64;
    expressions.sum::<u64>() + 2 * statements
}

/// The estimated number of instructions of a builtin function per scalar.
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

/// By function: whether it can be called and its copies would cost too much.
fn too_large_to_inline(
    own: &[u64],
    sites: &[Vec<CallSite>],
    entry_sites: &[CallSite],
    is_callable: &[bool],
) -> Vec<bool> {
    let mut copies = vec![0u64; own.len()];
    let add = |sites: &[CallSite], by: u64, copies: &mut Vec<u64>| {
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
        let inside = sites[function]
            .iter()
            .map(|site| site.function.index())
            .map(|callee| {
                if is_called[callee] {
                    CALL_COST
                } else {
                    sizes[callee]
                }
            });
        let size = inside.fold(*own, u64::saturating_add);
        let gain = copies[function].saturating_sub(1).saturating_mul(size);
        is_called
            .push(is_callable[function] && size >= MIN_CALLED_COST && gain >= MAX_DUPLICATED_COST);
        sizes.push(size);
    }
    is_called
}

/// Inlines functions that would be called from only one place in the result.
fn inline_single_call_sites(
    sites: &[Vec<CallSite>],
    entry_sites: &[CallSite],
    is_called: &mut [bool],
) {
    let mut places = vec![0u64; is_called.len()];
    for site in entry_sites {
        places[site.function.index()] += 1;
    }
    for function in (0..is_called.len()).rev() {
        is_called[function] &= places[function] > 1;
        let times = if is_called[function] {
            1
        } else {
            places[function]
        };
        for site in &sites[function] {
            let count = &mut places[site.function.index()];
            *count = count.saturating_add(times);
        }
    }
}

/// By function: whether it makes a call, also through functions that are inlined in it.
fn callers(sites: &[Vec<CallSite>], is_called: &[bool]) -> Vec<bool> {
    let mut calls: Vec<bool> = Vec::with_capacity(sites.len());
    for sites in sites {
        let mut inside = sites.iter().map(|site| site.function.index());
        calls.push(inside.any(|callee| is_called[callee] || calls[callee]));
    }
    calls
}

/// By function and argument: whether the argument is a pointer that reaches a called function.
fn escapes(module: &Module, sites: &[Vec<CallSite>], is_called: &[bool]) -> Vec<Vec<bool>> {
    let mut escapes: Vec<Vec<bool>> = Vec::with_capacity(sites.len());
    for ((handle, function), sites) in module.functions.iter().zip(sites) {
        let is_pointer = |ty| module.types[ty].inner.pointer_space().is_some();
        let mut own = vec![false; function.arguments.len()];
        if is_called[handle.index()] {
            let arguments = function.arguments.iter();
            own = arguments.map(|argument| is_pointer(argument.ty)).collect();
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

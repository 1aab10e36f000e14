//! Scans a program for the constructs that the SPIR-V writer has to treat specially.
//!
//! In: a program. Out: [`ProgramFeatures`] from one walk over its statements and expressions: the nesting depth,
//! whether naga's writer can take the module without a copy (no pass changes it and nothing in it is unused), and which
//! corrections of the words may be needed. What always holds: the result is conservative, so the exact and slower
//! passes run wherever they may matter. The scan is most of the cost beyond naga's writer: everything is visited once,
//! and large programs are scanned by several threads.

use std::cmp::Reverse;
use std::ops::Range;

use anywarp_program::Program;
use anywarp_program::naga::{
    AddressSpace, Arena, Barrier, BinaryOperator, Binding, Block, BuiltIn, EntryPoint, Expression,
    Function, Handle, ImageClass, Literal, MathFunction, Module, Scalar, Statement, Type,
    TypeInner, UniqueArena,
};

use super::{naga_workarounds, unsupported};
use anywarp_program::{threads, walk};

/// The features of a program's functions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ProgramFeatures {
    /// Maximal nesting depth of blocks.
    pub(super) depth: usize,
    /// Whether the exact check of functions in [`unsupported::check`] is needed.
    pub(super) needs_exact_check: bool,
    /// Whether a constant vector may be composed of other vectors.
    pub(super) has_short_constants: bool,
    /// Whether there is any `!=`.
    has_inequalities: bool,
    has_discard: bool,
    /// Whether a call may pass a pointer to a part of a variable.
    passes_part_pointers: bool,
    has_sign: bool,
    /// Whether a shift may be by the bit width or more.
    has_oversized_shift: bool,
    reaches_all_functions: bool,
}

/// Which corrections the words need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corrections {
    None,
    /// Only inequality comparisons of floats.
    Comparisons,
    Any,
}

impl ProgramFeatures {
    /// Scans a program on some threads.
    pub(super) fn of(program: &Program, threads: usize) -> Self {
        let module = program.module();
        let scan = Scan::new(module);
        let jobs = scan.jobs(threads);
        let done = threads::in_order(jobs.len(), threads, || (), |(), job| scan.run(&jobs[job]));
        let mut found = ScanResult::default();
        for part in done {
            found.add(part);
        }
        let mut features = found.features;
        let (types, constants) = (&module.types, &module.global_expressions);
        for (_, expression) in constants.iter() {
            features.has_short_constants |= is_short_constant(expression, constants, types);
        }
        features.needs_exact_check |= has_wide_texels(module);
        features.reaches_all_functions = reaches_all_functions(module, found.calls);
        features
    }

    /// Whether no pass changes the program.
    pub(super) fn is_plain(&self, program: &Program, demotes: bool) -> bool {
        let has_unsupported_expression = self.has_sign || self.has_oversized_shift;
        let has_unsupported_statement = self.passes_part_pointers || demotes && self.has_discard;
        !has_unsupported_expression
            && !has_unsupported_statement
            && self.reaches_all_functions
            && has_plain_declarations(program)
    }

    /// The corrections that naga's words for an unchanged program need.
    pub(super) fn corrections(&self, module: &Module) -> Corrections {
        match (
            self.has_short_constants || !has_right_words(module),
            self.has_inequalities,
        ) {
            (true, _) => Corrections::Any,
            (false, true) => Corrections::Comparisons,
            (false, false) => Corrections::None,
        }
    }
}

/// Whether naga's words for the declarations need no correction.
fn has_right_words(module: &Module) -> bool {
    let has_handles = module.types.iter().any(|(_, ty)| {
        matches!(
            ty.inner,
            TypeInner::Image { .. } | TypeInner::Sampler { .. } | TypeInner::BindingArray { .. }
        )
    });
    !has_handles
        && !module
            .entry_points
            .iter()
            .any(|entry_point| has_unsupported_builtin(module, entry_point))
}

/// Whether an entry point uses the sample mask or the draw parameters.
fn has_unsupported_builtin(module: &Module, entry: &EntryPoint) -> bool {
    let is_unsupported_builtin = |binding: &Option<Binding>| {
        matches!(
            binding,
            Some(Binding::BuiltIn(
                BuiltIn::SampleMask
                    | BuiltIn::BaseVertex
                    | BuiltIn::BaseInstance
                    | BuiltIn::DrawIndex
            ))
        )
    };
    let uses_unsupported = |binding: &Option<Binding>, ty: Handle<Type>| {
        is_unsupported_builtin(binding)
            || match module.types[ty].inner {
                TypeInner::Struct { ref members, .. } => members
                    .iter()
                    .any(|member| is_unsupported_builtin(&member.binding)),
                _ => false,
            }
    };
    let function = &entry.function;
    entry.mesh_info.is_some()
        || function
            .arguments
            .iter()
            .any(|argument| uses_unsupported(&argument.binding, argument.ty))
        || function
            .result
            .iter()
            .any(|result| uses_unsupported(&result.binding, result.ty))
}

/// Number of expressions that makes a thread worth starting. Less work fits into caches, where one thread is fast.
pub(super) const EXPRESSIONS_PER_THREAD: usize = 32 << 10;

/// Jobs per thread, for statements and for expressions each.
const JOBS_PER_THREAD: usize = 4;

/// A unit of work of a thread.
enum Job {
    /// Scans the statements of a range of functions.
    Statements(Range<usize>),
    /// Scans the expressions of a range of functions.
    Expressions(Range<usize>),
}

/// The result of a job.
#[derive(Default)]
struct ScanResult {
    features: ProgramFeatures,
    /// The call graph: indices of caller and callee.
    calls: Vec<(usize, usize)>,
}

impl ScanResult {
    fn add(&mut self, mut other: Self) {
        let (features, more) = (&mut self.features, &other.features);
        features.depth = features.depth.max(more.depth);
        features.needs_exact_check |= more.needs_exact_check;
        features.has_short_constants |= more.has_short_constants;
        features.has_inequalities |= more.has_inequalities;
        features.has_discard |= more.has_discard;
        features.passes_part_pointers |= more.passes_part_pointers;
        features.has_sign |= more.has_sign;
        features.has_oversized_shift |= more.has_oversized_shift;
        self.calls.append(&mut other.calls);
    }
}

/// Whether all functions are reachable from an entry point.
fn reaches_all_functions(module: &Module, mut calls: Vec<(usize, usize)>) -> bool {
    let mut called = vec![false; module.functions.len()];
    // Functions come before their callers. In reverse order, each is known to be reachable or not when it is visited.
    calls.sort_unstable_by_key(|(caller, _)| Reverse(*caller));
    for (caller, callee) in &calls {
        called[*callee] |= called.get(*caller).is_none_or(|is_called| *is_called);
    }
    called.iter().all(|is_called| *is_called)
}

/// Shared state of all jobs.
struct Scan<'a> {
    module: &'a Module,
    /// Functions followed by entry points.
    functions: Vec<&'a Function>,
    /// Whether each function has a pointer parameter.
    takes_pointers: Vec<bool>,
}

impl<'a> Scan<'a> {
    fn new(module: &'a Module) -> Self {
        let has_pointer = |function: &Function| {
            let mut arguments = function.arguments.iter();
            arguments.any(|argument| is_pointer(module, argument.ty))
        };
        let functions = module.functions.iter().map(|(_, function)| function);
        Self {
            module,
            functions: walk::functions(module).collect(),
            takes_pointers: functions.map(has_pointer).collect(),
        }
    }

    /// The jobs for a number of threads.
    fn jobs(&self, threads: usize) -> Vec<Job> {
        let all = self.functions.len();
        if threads == 1 {
            return vec![Job::Statements(0..all), Job::Expressions(0..all)];
        }
        let size = all.div_ceil(threads * JOBS_PER_THREAD).max(1);
        let ranges = || {
            (0..all)
                .step_by(size)
                .map(|start| start..(start + size).min(all))
        };
        let statements = ranges().map(Job::Statements);
        statements.chain(ranges().map(Job::Expressions)).collect()
    }

    fn run(&self, job: &Job) -> ScanResult {
        let mut found = ScanResult::default();
        match job {
            Job::Statements(range) => self.statements(range.clone(), &mut found),
            Job::Expressions(range) => {
                for function in &self.functions[range.clone()] {
                    self.expressions(function, &mut found.features);
                }
            }
        }
        found
    }

    /// Scans statements breadth-first: the blocks of one level are further apart in memory than nested ones, but their
    /// cache misses overlap.
    fn statements(&self, range: Range<usize>, found: &mut ScanResult) {
        let mut level: Vec<(usize, &[Statement])> = Vec::new();
        level.extend(range.map(|place| (place, &*self.functions[place].body)));
        let mut inner = Vec::new();
        while !level.is_empty() {
            found.features.depth += 1;
            for (function, block) in level.drain(..) {
                for statement in block {
                    self.statement(statement, function, found, &mut inner);
                }
            }
            std::mem::swap(&mut level, &mut inner);
        }
    }

    fn statement(
        &self,
        statement: &'a Statement,
        function: usize,
        found: &mut ScanResult,
        inner: &mut Vec<(usize, &'a [Statement])>,
    ) {
        // Reads the block's address and length here, while the statement that contains it is in cache.
        let mut enter = |block: &'a Block| {
            if !block.is_empty() {
                inner.push((function, &**block));
            }
        };
        match *statement {
            Statement::Block(ref block) => enter(block),
            Statement::If {
                ref accept,
                ref reject,
                ..
            } => {
                enter(accept);
                enter(reject);
            }
            Statement::Switch { ref cases, .. } => {
                let parts = unsupported::switch_parts(cases.len());
                found.features.needs_exact_check |= unsupported::is_too_long(parts);
                cases.iter().for_each(|case| enter(&case.body));
            }
            Statement::Loop {
                ref body,
                ref continuing,
                ..
            } => {
                enter(body);
                enter(continuing);
            }
            Statement::Kill => found.features.has_discard = true,
            Statement::Call {
                function: callee,
                ref arguments,
                ..
            } => {
                found.calls.push((function, callee.index()));
                found.features.passes_part_pointers |= self.takes_pointers[callee.index()]
                    && self.passes_part_pointer(self.functions[function], callee, arguments);
            }
            Statement::ControlBarrier(barrier) | Statement::MemoryBarrier(barrier) => {
                found.features.needs_exact_check |= barrier.contains(Barrier::SUB_GROUP);
            }
            _ => {}
        }
    }

    /// Whether a call may pass a pointer to a part of a variable, for which it needs a variable of its own.
    fn passes_part_pointer(
        &self,
        caller: &Function,
        callee: Handle<Function>,
        arguments: &[Handle<Expression>],
    ) -> bool {
        let parameters = &self.module.functions[callee].arguments;
        arguments
            .iter()
            .zip(parameters)
            .any(|(argument, parameter)| {
                matches!(
                    caller.expressions[*argument],
                    Expression::Access { .. } | Expression::AccessIndex { .. }
                ) && is_pointer(self.module, parameter.ty)
            })
    }

    fn expressions(&self, function: &Function, features: &mut ProgramFeatures) {
        for (_, expression) in function.expressions.iter() {
            match *expression {
                Expression::Literal(_) | Expression::As { .. } => {
                    features.needs_exact_check |= has_other_width(expression);
                }
                Expression::Binary { op, .. } => {
                    features.has_inequalities |= op == BinaryOperator::NotEqual;
                    features.has_oversized_shift |=
                        naga_workarounds::is_oversized_shift(expression, &function.expressions);
                }
                Expression::Math { fun, .. } => features.has_sign |= fun == MathFunction::Sign,
                Expression::Compose { ref components, .. } => {
                    features.needs_exact_check |= unsupported::is_too_long(components.len());
                    features.has_short_constants |=
                        is_short_constant(expression, &function.expressions, &self.module.types);
                }
                _ => {}
            }
        }
    }
}

/// Whether an expression may produce numbers of other widths than 32 bits. In a plain program only texels can, because
/// it declares no such types.
fn has_other_width(expression: &Expression) -> bool {
    match *expression {
        Expression::Literal(literal) => !matches!(
            literal,
            Literal::F32(_) | Literal::U32(_) | Literal::I32(_) | Literal::Bool(_)
        ),
        Expression::As {
            kind,
            convert: Some(width),
            ..
        } => !is_32_bit_or_bool(Scalar { kind, width }),
        _ => false,
    }
}

fn is_32_bit_or_bool(scalar: Scalar) -> bool {
    scalar.width == 4 || scalar == Scalar::BOOL
}

/// Whether there are images with 64-bit texels.
fn has_wide_texels(module: &Module) -> bool {
    module.types.iter().any(|(_, ty)| match ty.inner {
        TypeInner::Image {
            class: ImageClass::Storage { format, .. },
            ..
        } => !is_32_bit_or_bool(Scalar::from(format)),
        _ => false,
    })
}

/// Whether no declaration and no type needs a change.
fn has_plain_declarations(program: &Program) -> bool {
    let module = program.module();
    module.overrides.is_empty()
        && !module.entry_points.is_empty()
        && has_plain_types(module)
        && is_used(program)
}

fn is_pointer(module: &Module, ty: Handle<Type>) -> bool {
    matches!(
        module.types[ty].inner,
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
    )
}

/// Whether an expression may be a constant vector composed of other vectors.
fn is_short_constant(
    expression: &Expression,
    arena: &Arena<Expression>,
    types: &UniqueArena<Type>,
) -> bool {
    let Expression::Compose { ty, ref components } = *expression else {
        return false;
    };
    let TypeInner::Vector { size, .. } = types[ty].inner else {
        return false;
    };
    components.len() < size as usize
        && components.iter().all(|component| {
            matches!(
                arena[*component],
                Expression::Literal(_)
                    | Expression::Constant(_)
                    | Expression::Override(_)
                    | Expression::ZeroValue(_)
                    | Expression::Compose { .. }
                    | Expression::Splat { .. }
            )
        })
}

/// Whether all variables are used by an entry point.
fn is_used(program: &Program) -> bool {
    let entry_points = 0..program.module().entry_points.len();
    program.module().global_variables.iter().all(|(handle, _)| {
        entry_points
            .clone()
            .any(|index| !program.info().get_entry_point(index)[handle].is_empty())
    })
}

/// Unused types are allowed if they require no device feature.
fn has_plain_types(module: &Module) -> bool {
    let is_of_variable = |ty| {
        module
            .global_variables
            .iter()
            .any(|(_, global_variable)| global_variable.ty == ty)
    };
    module.types.iter().all(|(handle, ty)| match ty.inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. }
        | TypeInner::Atomic(scalar) => is_32_bit_or_bool(scalar),
        // There are few image types, so the search is cheap.
        TypeInner::Image { .. } => is_of_variable(handle),
        TypeInner::Pointer { space, .. } => matches!(
            space,
            AddressSpace::Function | AddressSpace::Private | AddressSpace::WorkGroup
        ),
        TypeInner::Array { .. } | TypeInner::Struct { .. } | TypeInner::Sampler { .. } => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(functions: &str, body: &str) -> Program {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
            {functions}
            @compute @workgroup_size(1) fn main() {{ out[0] = 1.0; {body} }}"
        );
        Program::from_wgsl(&text).expect("valid")
    }

    fn features(program: &Program) -> ProgramFeatures {
        ProgramFeatures::of(program, 1)
    }

    fn is_plain(functions: &str, body: &str) -> bool {
        let program = program(functions, body);
        features(&program).is_plain(&program, true)
    }

    #[test]
    fn functions_that_no_entry_point_reaches_are_no_part_of_a_plain_program() {
        let two = "fn one() { out[1] = 1.0; } fn two() { one(); }";
        assert!(is_plain("", ""));
        assert!(is_plain(two, "if out[2] > 0.0 { loop { two(); break; } }"));
        assert!(!is_plain(two, "one();"));
        assert!(!is_plain(two, ""));
    }

    #[test]
    fn blocks_inside_of_each_other_are_counted() {
        let nested =
            "if out[0] > 0.0 { switch i32(out[1]) { case 1: { loop { break; } } default: {} } }";
        assert_eq!(features(&program("", "")).depth, 1);
        assert_eq!(features(&program("", nested)).depth, 4);
    }

    #[test]
    fn doubts_are_for_what_may_be_refused() {
        let doubtful = |body| features(&program("", body)).needs_exact_check;
        assert!(!doubtful("out[1] = sin(out[2]);"));
        assert!(doubtful("out[1] = f32(sin(f64(out[2])));"));
        assert!(doubtful("out[1] = f32(countOneBits(u64(out[2])));"));
    }

    #[test]
    fn threads_find_what_one_finds() {
        let functions = "fn one(p: ptr<function, f32>) { *p = sin(2.0); if *p != 1.0 { return; } }
            fn two() { var a: array<f32, 2>; one(&a[1]); }
            fn three() { if out[1] > 0.0 { loop { two(); break; } } }
            fn four() { out[1] = f32(f64(out[2])); }";
        for body in ["three(); four();", "four();", ""] {
            let program = program(functions, body);
            let alone = features(&program);
            assert_eq!(alone.reaches_all_functions, body.starts_with("three"));
            assert!(alone.passes_part_pointers && alone.needs_exact_check && alone.depth == 3);
            assert_eq!(
                alone.corrections(program.module()),
                Corrections::Comparisons
            );
            for threads in [2, 3, 8] {
                assert_eq!(ProgramFeatures::of(&program, threads), alone, "{threads}");
            }
        }
    }

    #[test]
    fn constant_vectors_of_vectors_are_found() {
        let short = |body| features(&program("", body)).has_short_constants;
        assert!(short("var v = vec4(vec2(1.0, 2.0), vec2(3.0, 4.0));"));
        assert!(!short("var v = vec4(out[1], vec3(out[2]));"));
        assert!(!short("var v = vec4(1.0, 2.0, 3.0, 4.0);"));
    }
}

//! Programs that can be written as they are.
//!
//! In: a program. Out: what one walk over its statements and expressions finds: how deep statements nest,
//! whether naga's writer may take the module without a copy, because no pass here would change it and
//! nothing in it is left out, and whether anything in it might be refused or written wrongly. What always
//! holds: a doubt counts as a yes, so that the exact look, which costs more, is taken where it matters.
//! The walk is most of what writing costs beyond naga's writer, so nothing here is looked at twice.

use std::cmp::Reverse;

use anywarp_program::Program;
use anywarp_program::naga::valid::FunctionInfo;
use anywarp_program::naga::{
    AddressSpace, Arena, Barrier, Binding, Block, BuiltIn, EntryPoint, Expression, Function,
    Handle, MathFunction, Module, Statement, Type, TypeInner, UniqueArena,
};

use super::refusals;

/// What the functions of a program look like.
#[derive(Default)]
pub(super) struct Shape {
    /// How many blocks lie inside of each other.
    pub(super) depth: usize,
    /// Whether [`refusals::check`] might refuse something in a function.
    pub(super) is_doubtful: bool,
    /// Whether a constant vector might be made of other vectors.
    pub(super) has_short_constants: bool,
    discards: bool,
    /// Whether a call gets a pointer to a part of a variable.
    hands_parts: bool,
    has_signs: bool,
    calls_all: bool,
}

impl Shape {
    pub(super) fn of(program: &Program) -> Self {
        let (module, info) = (program.module(), program.info());
        let mut walk = Walk::new(module);
        walk.statements();
        for (handle, function) in module.functions.iter() {
            walk.expressions(function, &info[handle]);
        }
        for (index, entry) in module.entry_points.iter().enumerate() {
            walk.expressions(&entry.function, info.get_entry_point(index));
        }
        let (types, constants) = (&module.types, &module.global_expressions);
        for (_, expression) in constants.iter() {
            walk.shape.has_short_constants |= is_short_constant(expression, constants, types);
        }
        walk.shape.calls_all = walk.calls_all();
        walk.shape
    }

    /// Whether a program needs no change.
    pub(super) fn is_plain(&self, program: &Program, demotes: bool) -> bool {
        let module = program.module();
        let has_odd_function = self.hands_parts || self.has_signs || demotes && self.discards;
        !has_odd_function
            && self.calls_all
            && module.overrides.is_empty()
            && !module.entry_points.is_empty()
            && has_plain_types(module)
            && is_used(program)
    }

    /// Whether nothing but comparisons can be wrong in what naga writes for a plain program.
    pub(super) fn words_are_right(&self, module: &Module) -> bool {
        !self.has_short_constants && has_right_words(module)
    }
}

/// Whether naga's words for some declarations are right as they come.
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
            .any(|it| has_odd_interface(module, it))
}

/// Whether an entry point names a sample mask or what a draw says.
fn has_odd_interface(module: &Module, entry: &EntryPoint) -> bool {
    let is_odd = |binding: &Option<Binding>| {
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
    let has_odd = |binding: &Option<Binding>, ty: Handle<Type>| {
        is_odd(binding)
            || match module.types[ty].inner {
                TypeInner::Struct { ref members, .. } => {
                    members.iter().any(|it| is_odd(&it.binding))
                }
                _ => false,
            }
    };
    let function = &entry.function;
    entry.mesh_info.is_some()
        || function
            .arguments
            .iter()
            .any(|it| has_odd(&it.binding, it.ty))
        || function.result.iter().any(|it| has_odd(&it.binding, it.ty))
}

/// The state of the walk.
struct Walk<'a> {
    module: &'a Module,
    shape: Shape,
    /// Functions, and behind them entry points.
    functions: Vec<&'a Function>,
    /// Whether each function takes a pointer.
    takes_pointers: Vec<bool>,
    /// Who calls whom, by their places.
    calls: Vec<(usize, usize)>,
}

impl<'a> Walk<'a> {
    fn new(module: &'a Module) -> Self {
        let has_pointer = |function: &Function| {
            let mut arguments = function.arguments.iter();
            arguments.any(|it| is_pointer(module, it.ty))
        };
        let entry_points = module.entry_points.iter().map(|it| &it.function);
        let functions = || module.functions.iter().map(|(_, function)| function);
        Self {
            module,
            shape: Shape::default(),
            functions: functions().chain(entry_points).collect(),
            takes_pointers: functions().map(has_pointer).collect(),
            calls: Vec::new(),
        }
    }

    /// Looks at the statements of all functions, level by level: the blocks of one level lie further
    /// apart than those inside of each other, but each can be fetched without waiting for another.
    fn statements(&mut self) {
        let mut level: Vec<(usize, &Block)> = Vec::new();
        level.extend(self.functions.iter().map(|it| &it.body).enumerate());
        let mut inner = Vec::new();
        while !level.is_empty() {
            self.shape.depth += 1;
            for (function, block) in level.drain(..) {
                for statement in block.iter() {
                    self.statement(statement, function, &mut inner);
                }
            }
            std::mem::swap(&mut level, &mut inner);
        }
    }

    fn statement(
        &mut self,
        statement: &'a Statement,
        function: usize,
        inner: &mut Vec<(usize, &'a Block)>,
    ) {
        let mut enter = |block: &'a Block| {
            if !block.is_empty() {
                inner.push((function, block));
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
                let parts = refusals::switch_parts(cases.len());
                self.shape.is_doubtful |= refusals::is_too_long(parts);
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
            Statement::Kill => self.shape.discards = true,
            Statement::Call {
                function: callee,
                ref arguments,
                ..
            } => {
                self.calls.push((function, callee.index()));
                self.shape.hands_parts |= self.takes_pointers[callee.index()]
                    && self.hands_part(self.functions[function], callee, arguments);
            }
            Statement::ControlBarrier(barrier) | Statement::MemoryBarrier(barrier) => {
                self.shape.is_doubtful |= barrier.contains(Barrier::SUB_GROUP);
            }
            _ => {}
        }
    }

    /// Whether a call gets a pointer to a part of a variable, for which it may need one of its own.
    fn hands_part(
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

    /// Whether every function is called by an entry point, if not directly.
    fn calls_all(&mut self) -> bool {
        let mut called = vec![false; self.module.functions.len()];
        // Functions come before those that call them: from the last back, each is known to be
        // called or not when it is met.
        self.calls
            .sort_unstable_by_key(|(caller, _)| Reverse(*caller));
        for (caller, callee) in &self.calls {
            called[*callee] |= called.get(*caller).is_none_or(|it| *it);
        }
        called.iter().all(|it| *it)
    }

    fn expressions(&mut self, function: &Function, info: &FunctionInfo) {
        let types = &self.module.types;
        for (_, expression) in function.expressions.iter() {
            match *expression {
                Expression::Math { fun, arg, .. } => {
                    self.shape.has_signs |= fun == MathFunction::Sign;
                    let inner = info[arg].ty.inner_with(types);
                    self.shape.is_doubtful |= inner.scalar().is_some_and(|it| it.width != 4);
                }
                Expression::Compose { ref components, .. } => {
                    self.shape.is_doubtful |= refusals::is_too_long(components.len());
                    self.shape.has_short_constants |=
                        is_short_constant(expression, &function.expressions, types);
                }
                _ => {}
            }
        }
    }
}

fn is_pointer(module: &Module, ty: Handle<Type>) -> bool {
    matches!(
        module.types[ty].inner,
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
    )
}

/// Whether an expression may be a constant vector that is made of other vectors.
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
        && components.iter().all(|it| {
            matches!(
                arena[*it],
                Expression::Literal(_)
                    | Expression::Constant(_)
                    | Expression::Override(_)
                    | Expression::ZeroValue(_)
                    | Expression::Compose { .. }
                    | Expression::Splat { .. }
            )
        })
}

/// Whether every variable belongs to an entry point.
fn is_used(program: &Program) -> bool {
    let entry_points = 0..program.module().entry_points.len();
    program.module().global_variables.iter().all(|(handle, _)| {
        entry_points
            .clone()
            .any(|index| !program.info().get_entry_point(index)[handle].is_empty())
    })
}

/// Types that ask nothing special of a device may be there without being used.
fn has_plain_types(module: &Module) -> bool {
    let is_of_variable = |ty| module.global_variables.iter().any(|(_, it)| it.ty == ty);
    module.types.iter().all(|(handle, ty)| match ty.inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. }
        | TypeInner::Atomic(scalar) => scalar.width == 4 || scalar == naga::Scalar::BOOL,
        // There are few kinds of images.
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

    fn is_plain(functions: &str, body: &str) -> bool {
        let program = program(functions, body);
        Shape::of(&program).is_plain(&program, true)
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
        assert_eq!(Shape::of(&program("", "")).depth, 1);
        assert_eq!(Shape::of(&program("", nested)).depth, 4);
    }

    #[test]
    fn doubts_are_for_what_may_be_refused() {
        let doubtful = |body| Shape::of(&program("", body)).is_doubtful;
        assert!(!doubtful("out[1] = sin(out[2]);"));
        assert!(doubtful("out[1] = f32(sin(f64(out[2])));"));
        assert!(doubtful("out[1] = f32(countOneBits(u64(out[2])));"));
    }

    #[test]
    fn constant_vectors_of_vectors_are_found() {
        let short = |body| Shape::of(&program("", body)).has_short_constants;
        assert!(short("var v = vec4(vec2(1.0, 2.0), vec2(3.0, 4.0));"));
        assert!(!short("var v = vec4(out[1], vec3(out[2]));"));
        assert!(!short("var v = vec4(1.0, 2.0, 3.0, 4.0);"));
    }
}

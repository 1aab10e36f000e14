//! Programs that can be written as they are.
//!
//! In: a program. Out: whether naga's writer may take its module without a copy, because no pass
//! here would change it and nothing in it is left out; and how deep its statements nest. One walk
//! over statements and a look at types, so that the answer costs less than a copy.

use anywarp_program::Program;
use anywarp_program::naga::{
    AddressSpace, Block, Expression, FastHashSet, Function, Handle, MathFunction, Module,
    Statement, TypeInner,
};

use crate::write::operands;

/// What the statements of a program look like.
pub(super) struct Shape {
    /// How many blocks lie inside of each other.
    pub(super) depth: usize,
    discards: bool,
    /// Whether a call gets a pointer to a part of a variable.
    hands_parts: bool,
    called: FastHashSet<Handle<Function>>,
    counts_calls: bool,
}

impl Shape {
    pub(super) fn of(module: &Module) -> Self {
        let mut shape = Self {
            depth: 0,
            discards: false,
            hands_parts: false,
            called: FastHashSet::default(),
            counts_calls: true,
        };
        for entry in &module.entry_points {
            shape.block(&entry.function.body, 1, (module, &entry.function));
        }
        // Functions come before those that call them: from the last back, each is known to be
        // called or not when it is met. What nobody calls counts for its depth only.
        for (handle, function) in module.functions.iter().rev() {
            let is_called = shape.called.contains(&handle);
            shape.counts_calls = is_called;
            shape.block(&function.body, 1, (module, function));
        }
        shape
    }

    fn block(&mut self, block: &Block, depth: usize, place: (&Module, &Function)) {
        self.depth = self.depth.max(depth);
        for statement in block.iter() {
            match statement {
                Statement::Kill => self.discards = true,
                Statement::Call {
                    function,
                    arguments,
                    ..
                } => {
                    self.hands_parts |= hands_part(place, *function, arguments);
                    if self.counts_calls {
                        self.called.insert(*function);
                    }
                }
                _ => {}
            }
            for inner in operands::blocks_of(statement) {
                self.block(inner, depth + 1, place);
            }
        }
    }

    /// Whether a program needs no change.
    pub(super) fn is_plain(&self, program: &Program, demotes: bool) -> bool {
        let module = program.module();
        module.overrides.is_empty()
            && !(demotes && self.discards)
            && !module.entry_points.is_empty()
            && self.called.len() == module.functions.len()
            && is_used(program)
            && !self.hands_parts
            && has_plain_types(module)
            && functions(module).all(is_plain_function)
    }
}

/// Whether a call gets a pointer to a part of a variable, for which it may need one of its own.
fn hands_part(
    (module, caller): (&Module, &Function),
    callee: Handle<Function>,
    arguments: &[Handle<Expression>],
) -> bool {
    let parameters = &module.functions[callee].arguments;
    arguments
        .iter()
        .zip(parameters)
        .any(|(argument, parameter)| {
            matches!(
                caller.expressions[*argument],
                Expression::Access { .. } | Expression::AccessIndex { .. }
            ) && matches!(
                module.types[parameter.ty].inner,
                TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
            )
        })
}

fn functions(module: &Module) -> impl Iterator<Item = &Function> {
    let bodies = module.entry_points.iter().map(|it| &it.function);
    module.functions.iter().map(|(_, it)| it).chain(bodies)
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
    let variables: FastHashSet<_> = module
        .global_variables
        .iter()
        .map(|(_, it)| it.ty)
        .collect();
    module.types.iter().all(|(handle, ty)| match ty.inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. }
        | TypeInner::Atomic(scalar) => scalar.width == 4 || scalar == naga::Scalar::BOOL,
        TypeInner::Image { .. } => variables.contains(&handle),
        TypeInner::Pointer { space, .. } => matches!(
            space,
            AddressSpace::Function | AddressSpace::Private | AddressSpace::WorkGroup
        ),
        TypeInner::Array { .. } | TypeInner::Struct { .. } | TypeInner::Sampler { .. } => true,
        _ => false,
    })
}

fn is_plain_function(function: &Function) -> bool {
    function.expressions.iter().all(|(_, expression)| {
        !matches!(
            expression,
            Expression::Math {
                fun: MathFunction::Sign,
                ..
            }
        )
    })
}

//! Replaces `sign` of unsigned integers, on which naga's writer panics.
//!
//! In: a module with its analysis. Out: the same, with `sign(x)` of unsigned `x` replaced by `x / x`: 1 for all numbers
//! except 0, where WGSL's division by zero gives the dividend. Types do not change, so the analysis stays valid.

use anywarp_program::naga::valid::{FunctionInfo, ModuleInfo};
use anywarp_program::naga::{
    BinaryOperator, Expression, Function, MathFunction, Module, ScalarKind, Type, UniqueArena,
};

/// Replaces every sign of an unsigned integer.
pub(super) fn replace(module: &mut Module, info: &ModuleInfo) {
    for (handle, function) in module.functions.iter_mut() {
        in_function(function, &info[handle], &module.types);
    }
    for (index, entry) in module.entry_points.iter_mut().enumerate() {
        let info = info.get_entry_point(index);
        in_function(&mut entry.function, info, &module.types);
    }
}

fn in_function(function: &mut Function, info: &FunctionInfo, types: &UniqueArena<Type>) {
    for (_, expression) in function.expressions.iter_mut() {
        if let Expression::Math {
            fun: MathFunction::Sign,
            arg,
            ..
        } = *expression
            && info[arg].ty.inner_with(types).scalar_kind() == Some(ScalarKind::Uint)
        {
            *expression = Expression::Binary {
                op: BinaryOperator::Divide,
                left: arg,
                right: arg,
            };
        }
    }
}

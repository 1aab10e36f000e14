//! Refuses constructs that SPIR-V for Vulkan has no instruction for.
//!
//! In: a module and naga's analysis. Out: an error that names the construct and the function, if naga would write
//! invalid words or panic.

use anywarp_program::naga::valid::{FunctionInfo, ModuleInfo};
use anywarp_program::naga::{
    AddressSpace, Barrier, Block, Expression, Function, Handle, ImageClass, MathFunction, Module,
    ScalarKind, Statement, Type, TypeInner,
};

use super::error::SpirvError;
use super::features::ProgramFeatures;
use anywarp_program::walk;

/// naga's writer panics on external textures.
pub(super) fn external(module: &Module) -> Result<(), SpirvError> {
    let is_external = |ty: &Type| {
        matches!(
            ty.inner,
            TypeInner::Image {
                class: ImageClass::External,
                ..
            }
        )
    };
    if module.types.iter().any(|(_, ty)| is_external(ty)) {
        Err(unsupported("`texture_external`", "more than SPIR-V has"))
    } else {
        Ok(())
    }
}

/// Maximal number of constituents of an instruction: its word count, less the first word, type and result, or selector
/// and default of a switch.
const MAX_PARTS: usize = u16::MAX as usize - 3;

/// The word count of an instruction has 16 bits; naga would write a truncated one.
pub(super) fn is_too_long(parts: usize) -> bool {
    parts > MAX_PARTS
}

/// Number of words for the cases of a switch: a literal and a label each, because selectors have at most 32 bits.
pub(super) fn switch_parts(cases: usize) -> usize {
    cases * 2
}

fn check_parts(parts: usize, whose: impl FnOnce() -> String) -> Result<(), SpirvError> {
    if is_too_long(parts) {
        Err(unsupported(
            &format!("{}: {parts} parts at once", whose()),
            "more words than an instruction can have",
        ))
    } else {
        Ok(())
    }
}

/// Refuses composites with too many constituents for one instruction.
fn check_lengths(module: &Module) -> Result<(), SpirvError> {
    for (_, ty) in module.types.iter() {
        if let TypeInner::Struct { ref members, .. } = ty.inner {
            let name = || ty.name.as_deref().unwrap_or_default();
            check_parts(members.len(), || format!("structure `{}`", name()))?;
        }
    }
    for (_, expression) in module.global_expressions.iter() {
        if let Expression::Compose { components, .. } = expression {
            check_parts(components.len(), || "a constant".to_owned())?;
        }
    }
    Ok(())
}

/// Number of words for the cases of the longest switch.
fn longest_switch(block: &Block) -> usize {
    let lengths = walk::statements(block).map(|statement| match statement {
        Statement::Switch { cases, .. } => switch_parts(cases.len()),
        _ => 0,
    });
    lengths.max().unwrap_or(0)
}

/// Refuses everything that cannot be written.
pub(super) fn check(
    module: &Module,
    info: &ModuleInfo,
    version: (u8, u8),
) -> Result<(), SpirvError> {
    check_declarations(module)?;
    check_functions(module, info, version)
}

/// Refuses declarations that cannot be written.
fn check_declarations(module: &Module) -> Result<(), SpirvError> {
    check_lengths(module)?;
    for (_, variable) in module.global_variables.iter() {
        if variable.space == AddressSpace::Uniform && has_half_matrix(module, variable.ty) {
            let name = variable.name.as_deref().unwrap_or_default();
            return Err(unsupported(
                &format!("variable `{name}`: a matrix of `f16` in a uniform buffer"),
                "columns at multiples of 16 bytes, or a storage buffer",
            ));
        }
    }
    Ok(())
}

/// The same for a module that is written without changes. Functions are checked only if the scan found something in
/// doubt.
pub(super) fn check_plain(
    module: &Module,
    info: &ModuleInfo,
    features: &ProgramFeatures,
    version: (u8, u8),
) -> Result<(), SpirvError> {
    check_declarations(module)?;
    if features.needs_exact_check {
        check_functions(module, info, version)
    } else {
        Ok(())
    }
}

/// Refuses functions that cannot be written.
fn check_functions(
    module: &Module,
    info: &ModuleInfo,
    version: (u8, u8),
) -> Result<(), SpirvError> {
    for (handle, function) in module.functions.iter() {
        let name = function.name.as_deref().unwrap_or_default();
        check_function(module, function, &info[handle], name, version)?;
    }
    for (index, entry) in module.entry_points.iter().enumerate() {
        let info = info.get_entry_point(index);
        check_function(module, &entry.function, info, &entry.name, version)?;
    }
    Ok(())
}

fn unsupported(what: &str, needs: &str) -> SpirvError {
    SpirvError::Unsupported {
        what: what.to_owned(),
        needs: needs.to_owned(),
    }
}

/// Vulkan requires matrix columns in uniform buffers at multiples of 16 bytes; naga ensures that for `f32` only.
fn has_half_matrix(module: &Module, ty: Handle<Type>) -> bool {
    match module.types[ty].inner {
        TypeInner::Matrix { scalar, .. } => scalar.width == 2,
        TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => {
            has_half_matrix(module, base)
        }
        TypeInner::Struct { ref members, .. } => members
            .iter()
            .any(|member| has_half_matrix(module, member.ty)),
        _ => false,
    }
}

fn check_function(
    module: &Module,
    function: &Function,
    info: &FunctionInfo,
    name: &str,
    version: (u8, u8),
) -> Result<(), SpirvError> {
    let whose = || format!("function `{name}`");
    check_parts(longest_switch(&function.body), whose)?;
    for (_, expression) in function.expressions.iter() {
        if let Expression::Compose { components, .. } = expression {
            check_parts(components.len(), whose)?;
        }
        let Expression::Math { fun, arg, .. } = *expression else {
            continue;
        };
        let inner = info[arg].ty.inner_with(&module.types);
        let Some(scalar) = inner.scalar() else {
            continue;
        };
        let what = match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 8) if !takes_doubles(fun) => "64-bit floats",
            (ScalarKind::Sint | ScalarKind::Uint, 8) if looks_at_bits(fun) => "64-bit integers",
            (ScalarKind::Sint | ScalarKind::Uint, 2) if looks_at_bits(fun) => "16-bit integers",
            (ScalarKind::Float, 2 | 8) if fun == MathFunction::Frexp => "floats not of 32 bits",
            _ => continue,
        };
        return Err(unsupported(
            &format!("function `{name}`: {fun:?} of {what}"),
            "an instruction that SPIR-V does not have",
        ));
    }
    check_coordinates(module, function, info, name)?;
    if version < (1, 3) && has_subgroup_barrier(&function.body) {
        return Err(unsupported(
            &format!("function `{name}`: a barrier of a subgroup"),
            "SPIR-V 1.3",
        ));
    }
    Ok(())
}

/// With bounds checks, naga's writer compares indices with 32-bit lengths, whatever the index type.
pub(super) fn check_indices(module: &Module, info: &ModuleInfo) -> Result<(), SpirvError> {
    let named = |name: &Option<String>| name.clone().unwrap_or_default();
    for (handle, function) in module.functions.iter() {
        check_indices_in(module, function, &info[handle], &named(&function.name))?;
    }
    for (index, entry) in module.entry_points.iter().enumerate() {
        let info = info.get_entry_point(index);
        check_indices_in(module, &entry.function, info, &entry.name)?;
    }
    Ok(())
}

fn check_indices_in(
    module: &Module,
    function: &Function,
    info: &FunctionInfo,
    name: &str,
) -> Result<(), SpirvError> {
    for (_, expression) in function.expressions.iter() {
        let Expression::Access { index, .. } = *expression else {
            continue;
        };
        let scalar = info[index].ty.inner_with(&module.types).scalar();
        if let Some(width) = scalar
            .map(|scalar| scalar.width)
            .filter(|width| *width != 4)
        {
            return Err(unsupported(
                &format!("function `{name}`: an index of {} bits", 8 * width),
                "bounds that are not checked, or a conversion to 32 bits",
            ));
        }
    }
    Ok(())
}

/// Whether a function accepts 64-bit floats. The listed functions of GLSL.std.450 accept only 16 and 32 bits.
fn takes_doubles(fun: MathFunction) -> bool {
    use MathFunction as F;
    !matches!(
        fun,
        F::Sin
            | F::Cos
            | F::Tan
            | F::Asin
            | F::Acos
            | F::Atan
            | F::Sinh
            | F::Cosh
            | F::Tanh
            | F::Asinh
            | F::Acosh
            | F::Atanh
            | F::Atan2
            | F::Pow
            | F::Exp
            | F::Exp2
            | F::Log
            | F::Log2
            | F::Radians
            | F::Degrees
    )
}

/// Whether a function is a bit instruction, which Vulkan has for 32-bit integers only.
fn looks_at_bits(fun: MathFunction) -> bool {
    use MathFunction as F;
    matches!(
        fun,
        F::CountOneBits
            | F::CountLeadingZeros
            | F::CountTrailingZeros
            | F::FirstLeadingBit
            | F::FirstTrailingBit
            | F::ReverseBits
            | F::ExtractBits
            | F::InsertBits
    )
}

/// Refuses coordinates, layers, levels and samples that do not have 32 bits: naga's writer compares them with 32-bit
/// sizes, or truncates them.
fn check_coordinates(
    module: &Module,
    function: &Function,
    info: &FunctionInfo,
    name: &str,
) -> Result<(), SpirvError> {
    let mut numbers = Vec::new();
    for (_, expression) in function.expressions.iter() {
        if let Expression::ImageLoad {
            coordinate,
            array_index,
            sample,
            level,
            ..
        } = *expression
        {
            numbers.push(coordinate);
            numbers.extend([array_index, sample, level].into_iter().flatten());
        }
    }
    numbers.extend(walk::statements(&function.body).flat_map(statement_coordinates));
    let width =
        |operand: &Handle<Expression>| info[*operand].ty.inner_with(&module.types).scalar_width();
    match numbers.iter().filter_map(width).find(|width| *width != 4) {
        None => Ok(()),
        Some(width) => Err(unsupported(
            &format!(
                "function `{name}`: a coordinate of {} bits of a texture",
                8 * u32::from(width)
            ),
            "a conversion to 32 bits",
        )),
    }
}

/// The coordinate and the layer of an image statement.
fn statement_coordinates(statement: &Statement) -> impl Iterator<Item = Handle<Expression>> {
    let (coordinate, layer) = match *statement {
        Statement::ImageStore {
            coordinate,
            array_index,
            ..
        }
        | Statement::ImageAtomic {
            coordinate,
            array_index,
            ..
        } => (Some(coordinate), array_index),
        _ => (None, None),
    };
    coordinate.into_iter().chain(layer)
}

fn has_subgroup_barrier(block: &Block) -> bool {
    walk::statements(block).any(|statement| match statement {
        Statement::ControlBarrier(barrier) | Statement::MemoryBarrier(barrier) => {
            barrier.contains(Barrier::SUB_GROUP)
        }
        _ => false,
    })
}

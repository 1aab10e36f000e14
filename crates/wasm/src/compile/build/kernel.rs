//! What does not depend on a body: the kernel's arguments and results, and the instantiation of its
//! module.
//!
//! In: a linked module. Out: [`Argument`]s and their values, and [`ModuleFacts`].

use wasmparser::{DataKind, ExternalKind, Operator};

use super::unsupported;
use crate::compile::CompileError;
use crate::compile::ir::{Argument, Function, Op, Type, Value};
use crate::module::{
    Definitions, FunctionType, LinkedModule, Type as WasmType, active_element, constant,
    element_constants,
};

/// The type of a function of the module.
pub(super) fn signature<'a>(module: &'a LinkedModule<'_>, function: u32) -> &'a FunctionType {
    let (_, ty) = module.functions[function as usize];
    &module.types[ty as usize].1
}

/// The name of a kernel: that of its export.
pub(super) fn name(module: &LinkedModule<'_>, function: u32) -> String {
    let mut exports = module.module.exports.iter();
    let export = exports
        .find(|export| matches!(export.kind, ExternalKind::Func) && export.index == function);
    export.map_or_else(
        || module.function_names[function as usize].clone(),
        |export| export.name.to_owned(),
    )
}

/// The meaning of each parameter.
pub(super) fn arguments(module: &LinkedModule<'_>, function: u32) -> Vec<Argument> {
    let params = &signature(module, function).params;
    params.iter().map(|&ty| Argument::Number(ty)).collect()
}

/// The types of the results.
pub(super) fn results(module: &LinkedModule<'_>, function: u32) -> Vec<Type> {
    let results = &signature(module, function).results;
    results.iter().map(|&ty| Type::of(ty)).collect()
}

/// The value of each parameter.
pub(super) fn argument_values(
    ir: &mut Function,
    module: &LinkedModule<'_>,
    function: u32,
) -> Vec<Value> {
    let types = &signature(module, function).params;
    let arguments = ir.arguments.clone();
    let mut value = |(at, (argument, &ty)): (u32, (Argument, &WasmType))| {
        let op = match argument {
            Argument::Number(_) => Op::Argument(at),
            Argument::SliceAddress(slice) => Op::SliceAddress(slice),
            Argument::SliceLength(slice) => Op::SliceLength(slice),
        };
        ir.floating(op, Type::of(ty))
    };
    (0..)
        .zip(arguments.into_iter().zip(types))
        .map(&mut value)
        .collect()
}

/// An error for a function that cannot be a kernel.
pub(super) fn check_signature(
    module: &LinkedModule<'_>,
    function: u32,
) -> Result<(), CompileError> {
    let imported = module.functions.len() - module.module.bodies.len();
    if (function as usize) < imported {
        return Err(unsupported(module, function, 0, "an imported kernel"));
    }
    if signature(module, function)
        .results
        .contains(&WasmType::FuncRef)
    {
        let feature = "a function reference as a result";
        return Err(unsupported(module, function, 0, feature));
    }
    Ok(())
}

/// What the instantiation of a module does beyond copying its data segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModuleFacts {
    /// The start function, if it does anything: its name and the offset of its body.
    pub start: Option<(String, u32)>,
    /// The offset of the first active segment that lies outside its memory or table: every
    /// instantiation traps.
    pub segment_outside: Option<u32>,
}

impl ModuleFacts {
    /// The facts of a module.
    pub(crate) fn new(module: &LinkedModule<'_>, definitions: &Definitions) -> Self {
        Self {
            start: start(module),
            segment_outside: segment_outside(module, definitions),
        }
    }

    /// An error if kernels of the module cannot be compiled.
    pub(super) fn check(&self) -> Result<(), CompileError> {
        let error = |feature: &str, function: &str, offset| CompileError::Unsupported {
            feature: feature.to_owned(),
            function: function.to_owned(),
            offset,
        };
        if let Some((name, offset)) = &self.start {
            return Err(error("a start function", name, *offset));
        }
        match self.segment_outside {
            Some(offset) => Err(error("a segment out of bounds", "instantiation", offset)),
            None => Ok(()),
        }
    }
}

/// The start function, if it has a body with more than its end.
fn start(module: &LinkedModule<'_>) -> Option<(String, u32)> {
    let function = module.module.start?;
    let name = module.function_names[function as usize].clone();
    let imported = module.functions.len() - module.module.bodies.len();
    let body = (function as usize)
        .checked_sub(imported)
        .and_then(|body| module.module.bodies.get(body));
    let Some(body) = body else {
        return Some((name, 0));
    };
    let offset = u32::try_from(body.range().start).unwrap_or(u32::MAX);
    let is_empty = body
        .get_operators_reader()
        .is_ok_and(|mut operators| matches!(operators.read(), Ok(Operator::End)));
    (!is_empty).then_some((name, offset))
}

fn segment_outside(module: &LinkedModule<'_>, definitions: &Definitions) -> Option<u32> {
    let value = |offset| u64::from(module.value(offset, definitions).bits() as u32);
    let data = module.module.data.iter().find(|data| {
        let DataKind::Active {
            memory_index,
            offset_expr,
        } = &data.kind
        else {
            return false;
        };
        let memory = module.memories[*memory_index as usize];
        let bytes = u64::from(definitions.memories[memory as usize].initial) << 16;
        let first = constant(offset_expr).map_or(u64::MAX, value);
        first.saturating_add(data.data.len() as u64) > bytes
    });
    let element = module.module.elements.iter().find(|element| {
        let Some((table, offset)) = active_element(&element.kind) else {
            return false;
        };
        let table = module.tables[table as usize];
        let elements = u64::from(definitions.tables[table as usize].limits.initial);
        let count = element_constants(&element.items).len() as u64;
        value(offset) + count > elements
    });
    let ranges = data.map(|data| data.range.start).into_iter();
    let start = ranges
        .chain(element.map(|element| element.range.start))
        .min()?;
    Some(u32::try_from(start).unwrap_or(u32::MAX))
}

//! Evaluates the default values of overrides.
//!
//! In: a module and some of its overrides. Out: their values as literals; an override without a default is 1 if it is
//! an integer, else zero. naga evaluates the expressions: the module is reduced to one function that stores each
//! override.

use std::collections::HashMap;

use anywarp_program::naga::back::PipelineConstants;
use anywarp_program::naga::back::pipeline_constants::process_overrides;
use anywarp_program::naga::valid::{Capabilities, ValidationFlags, Validator};
use anywarp_program::naga::{
    EntryPoint, Expression, Function, Handle, Literal, LocalVariable, Module, Override, Scalar,
    ScalarKind, ShaderStage, Span, Statement, TypeInner,
};

use super::SpirvError;

/// The default values of some overrides.
pub(super) fn evaluate(
    module: &Module,
    wanted: &[Handle<Override>],
) -> Result<Vec<Literal>, SpirvError> {
    let mut computed = None;
    let mut value = |handle: &Handle<Override>| {
        let declaration = &module.overrides[*handle];
        let Some(init) = declaration.init else {
            return Ok(without_default(module, declaration));
        };
        if let Expression::Literal(literal) = module.global_expressions[init] {
            return Ok(literal);
        }
        if computed.is_none() {
            computed = Some(compute(module, wanted)?);
        }
        let found = computed.as_ref().and_then(|computed| computed.get(handle));
        found.copied().ok_or_else(|| {
            let name = declaration.name.as_deref().unwrap_or_default();
            SpirvError::Constant(format!(
                "the default of constant `{name}` cannot be evaluated"
            ))
        })
    };
    wanted.iter().map(&mut value).collect()
}

fn scalar(module: &Module, declaration: &Override) -> Scalar {
    match module.types[declaration.ty].inner {
        TypeInner::Scalar(scalar) => scalar,
        _ => Scalar::U32,
    }
}

fn without_default(module: &Module, declaration: &Override) -> Literal {
    let scalar = scalar(module, declaration);
    let value = match scalar.kind {
        ScalarKind::Sint | ScalarKind::Uint => Literal::one(scalar),
        _ => Literal::zero(scalar),
    };
    value.unwrap_or(Literal::Bool(false))
}

/// Evaluates overrides with naga, in a module whose only function stores each of them.
fn compute(
    module: &Module,
    wanted: &[Handle<Override>],
) -> Result<HashMap<Handle<Override>, Literal>, SpirvError> {
    let mut module = module.clone();
    let mut function = Function::default();
    for handle in wanted {
        let variable = LocalVariable {
            name: None,
            ty: module.overrides[*handle].ty,
            init: None,
        };
        let variable = function.local_variables.append(variable, Span::UNDEFINED);
        let expressions = &mut function.expressions;
        let pointer = expressions.append(Expression::LocalVariable(variable), Span::UNDEFINED);
        let value = expressions.append(Expression::Override(*handle), Span::UNDEFINED);
        function
            .body
            .push(Statement::Store { pointer, value }, Span::UNDEFINED);
    }
    module.functions.clear();
    module.entry_points = vec![EntryPoint {
        name: "defaults".to_owned(),
        stage: ShaderStage::Compute,
        early_depth_test: None,
        workgroup_size: [1; 3],
        workgroup_size_overrides: None,
        function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    }];
    let wrong = |reason: String| {
        SpirvError::Constant(format!(
            "the defaults of the constants cannot be evaluated: {reason}"
        ))
    };
    let given: PipelineConstants = module
        .overrides
        .iter()
        .filter(|(_, declaration)| declaration.init.is_none())
        .map(|(_, declaration)| {
            let key = declaration.id.map_or_else(
                || declaration.name.clone().unwrap_or_default(),
                |id| id.to_string(),
            );
            let is_integer = matches!(
                scalar(&module, declaration).kind,
                ScalarKind::Sint | ScalarKind::Uint
            );
            (key, if is_integer { 1.0 } else { 0.0 })
        })
        .collect();
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| wrong(error.to_string()))?;
    let (module, _) = process_overrides(&module, &info, None, &given)
        .map_err(|error| wrong(error.to_string()))?;
    let Some(entry) = module.entry_points.first() else {
        return Ok(HashMap::new());
    };
    let stored = entry
        .function
        .body
        .iter()
        .filter_map(|statement| match statement {
            Statement::Store { value, .. } => Some(literal(&module, &entry.function, *value)),
            _ => None,
        });
    Ok(wanted
        .iter()
        .zip(stored)
        .filter_map(|(handle, value)| Some((*handle, value?)))
        .collect())
}

fn literal(module: &Module, function: &Function, value: Handle<Expression>) -> Option<Literal> {
    let mut expression = &function.expressions[value];
    loop {
        match *expression {
            Expression::Literal(literal) => return Some(literal),
            Expression::ZeroValue(ty) => match module.types[ty].inner {
                TypeInner::Scalar(scalar) => return Literal::zero(scalar),
                _ => return None,
            },
            Expression::Constant(constant) => {
                expression = &module.global_expressions[module.constants[constant].init];
            }
            _ => return None,
        }
    }
}

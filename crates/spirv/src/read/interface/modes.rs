//! Execution modes of entry points: stage, early depth test and workgroup size.

use anywarp_program::naga::{
    ConservativeDepth, EarlyDepthTest, Expression, Handle, ShaderStage, Span,
};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel};

use crate::error::{ReadError, Result};
use crate::module::{EntryPoint, Id};
use crate::read::Reader;
use crate::read::constants::Constant;
use crate::read::types::Type;

/// The stage and execution modes of an entry point.
pub(super) struct ExecutionModes {
    pub(super) stage: ShaderStage,
    pub(super) early_depth_test: Option<EarlyDepthTest>,
    pub(super) workgroup_size: [u32; 3],
    pub(super) overrides: Option<[Option<Handle<Expression>>; 3]>,
}

pub(super) fn modes(
    reader: &mut Reader<'_>,
    entry_point: &EntryPoint<'_>,
) -> Result<ExecutionModes> {
    let at = &entry_point.instruction;
    let stage = match entry_point.model {
        ExecutionModel::Vertex => ShaderStage::Vertex,
        ExecutionModel::Fragment => ShaderStage::Fragment,
        ExecutionModel::GLCompute => ShaderStage::Compute,
        model => return Err(at.unsupported(format!("{model:?} shaders"))),
    };
    let mut modes = ExecutionModes {
        stage,
        early_depth_test: None,
        workgroup_size: if stage == ShaderStage::Compute {
            [1; 3]
        } else {
            [0; 3]
        },
        overrides: None,
    };
    let mut sizes = None;
    for mode in &entry_point.modes {
        let depth = |conservative| Some(EarlyDepthTest::Allow { conservative });
        match mode.mode {
            ExecutionMode::LocalSize => {
                for (size, operand) in modes.workgroup_size.iter_mut().zip(&mode.operands) {
                    *size = *operand;
                }
            }
            ExecutionMode::LocalSizeId => {
                sizes = Some(mode.operands.iter().copied().map(Id).collect());
            }
            ExecutionMode::EarlyFragmentTests => {
                modes.early_depth_test = Some(EarlyDepthTest::Force);
            }
            ExecutionMode::DepthGreater if modes.early_depth_test.is_none() => {
                modes.early_depth_test = depth(ConservativeDepth::GreaterEqual);
            }
            ExecutionMode::DepthLess if modes.early_depth_test.is_none() => {
                modes.early_depth_test = depth(ConservativeDepth::LessEqual);
            }
            ExecutionMode::DepthUnchanged if modes.early_depth_test.is_none() => {
                modes.early_depth_test = depth(ConservativeDepth::Unchanged);
            }
            ExecutionMode::OriginLowerLeft => {
                return Err(at.unsupported("fragments counted from the lower left"));
            }
            ExecutionMode::PixelCenterInteger => {
                return Err(at.unsupported("fragments at whole coordinates"));
            }
            _ => {}
        }
    }
    // A constant with the `WorkgroupSize` builtin overrides the `LocalSize` execution mode.
    for instruction in &reader.spirv.globals {
        let Some(id) = instruction.result else {
            continue;
        };
        let builtin = reader.spirv.decorations.value(id, Decoration::BuiltIn);
        if builtin == Some(BuiltIn::WorkgroupSize as u32)
            && let Some((_, Constant::Composite(parts))) = reader.constants.get(id)
        {
            sizes = Some(parts.clone());
        }
    }
    if let Some(sizes) = sizes.filter(|_| stage == ShaderStage::Compute) {
        workgroup_size(reader, &sizes, &mut modes)?;
    }
    Ok(modes)
}

fn workgroup_size(reader: &mut Reader<'_>, sizes: &[Id], modes: &mut ExecutionModes) -> Result<()> {
    let mut overrides = [None; 3];
    for (axis, id) in sizes.iter().enumerate().take(3) {
        let ty = reader.constants.get(*id).map(|(ty, _)| ty);
        let ty = ty.and_then(|ty| reader.types.get(ty).ok());
        if !matches!(ty, Some(Type::Int { bits: 32, .. })) {
            let message = "a workgroup size that is not an integer of 32 bits";
            return Err(ReadError::invalid(message));
        }
        if let Some(size) = reader.constants.integer(*id) {
            modes.workgroup_size[axis] = u32::try_from(size).unwrap_or(0);
            continue;
        }
        let expression = Expression::Override(reader.override_of(*id)?);
        let expressions = &mut reader.module.global_expressions;
        overrides[axis] = Some(expressions.append(expression, Span::UNDEFINED));
    }
    if overrides.iter().any(Option::is_some) {
        modes.overrides = Some(overrides);
    }
    Ok(())
}

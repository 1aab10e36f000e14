//! Barriers and helper invocations.
//!
//! SPIR-V specifies the execution scope, the memory scope and the storage classes of a barrier separately. naga has
//! one barrier for each kind of memory, at which all invocations of a workgroup or a subgroup wait.

use anywarp_program::naga::{Barrier, Statement};
use rspirv::spirv::{ExecutionModel, MemorySemantics, Op, Scope};

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};

impl Body<'_, '_> {
    pub(super) fn barrier(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        match instruction.op {
            Op::ControlBarrier => self.control_barrier(instruction)?,
            Op::MemoryBarrier => self.memory_barrier(instruction)?,
            // WGSL's `discard` has the same semantics: the invocation becomes a helper.
            Op::DemoteToHelperInvocation => self.push(Statement::Kill),
            Op::IsHelperInvocationEXT => {
                return Err(instruction.unsupported("asking whether an invocation is a helper"));
            }
            Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => {
                return Err(instruction.unsupported("fragments that wait for each other"));
            }
            _ => return Err(instruction.unsupported("this instruction")),
        }
        Ok(())
    }

    fn control_barrier(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let memory = self.ordered_memory(instruction, 2)?;
        let barrier = match self.scope(instruction, instruction.id(0)?)? {
            // All control barriers of WGSL wait for the workgroup; this one orders the least memory.
            Scope::Workgroup if memory.is_empty() => Barrier::WORK_GROUP,
            Scope::Workgroup => memory,
            // Any other barrier would wait for the whole workgroup.
            Scope::Subgroup => Barrier::SUB_GROUP,
            Scope::Invocation => return Ok(()),
            scope => {
                let feature = format!("a barrier at which invocations of a {scope:?} wait");
                return Err(instruction.unsupported(feature));
            }
        };
        self.push(Statement::ControlBarrier(barrier));
        Ok(())
    }

    fn memory_barrier(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let memory = self.ordered_memory(instruction, 1)?;
        let scope = self.scope(instruction, instruction.id(0)?)?;
        if memory.is_empty() || scope == Scope::Invocation {
            return Ok(());
        }
        let entry_points = &self.reader.spirv.entry_points;
        if !entry_points
            .iter()
            .any(|entry_point| entry_point.model == ExecutionModel::GLCompute)
        {
            return Err(instruction.unsupported("a memory barrier outside of compute shaders"));
        }
        self.push(Statement::MemoryBarrier(memory));
        Ok(())
    }

    /// The scope in a constant operand.
    pub(super) fn scope(&self, instruction: &Instruction<'_>, id: Id) -> Result<Scope> {
        let number = self.reader.constants.integer(id).ok_or_else(|| {
            instruction.unsupported("a scope that is not known before the pipeline")
        })?;
        let scope = u32::try_from(number).ok().and_then(Scope::from_u32);
        scope.ok_or_else(|| instruction.invalid(format!("scope {number} is unknown")))
    }

    /// The kinds of memory that the semantics in this operand order.
    fn ordered_memory(&self, instruction: &Instruction<'_>, at: usize) -> Result<Barrier> {
        let number = self
            .reader
            .constants
            .integer(instruction.id(at)?)
            .ok_or_else(|| {
                instruction.unsupported("memory semantics that are not known before the pipeline")
            })?;
        let semantics = MemorySemantics::from_bits_truncate(number as u32);
        let kinds = [
            (MemorySemantics::UNIFORM_MEMORY, Barrier::STORAGE),
            (MemorySemantics::WORKGROUP_MEMORY, Barrier::WORK_GROUP),
            (MemorySemantics::IMAGE_MEMORY, Barrier::TEXTURE),
        ];
        let ordered = kinds.iter().filter(|(kind, _)| semantics.contains(*kind));
        Ok(ordered.map(|(_, barrier)| *barrier).collect())
    }
}

//! A compute entry point, translated once into the bytecode that a [`Worker`](crate::Worker) executes.

use anywarp_program::Program;
use anywarp_program::work::Meter;
use naga::ShaderStage;

use crate::bytecode::{Bytecode, Pc};
use crate::fault::SourceLocation;
use crate::translate::translate;
use crate::{KernelError, Resource, SubgroupSize};

/// A compute entry point as bytecode. Immutable and shared by any number of workers.
#[derive(Debug)]
pub struct Kernel {
    program: Program,
    name: String,
    workgroup_size: [u32; 3],
    subgroup_size: SubgroupSize,
    resources: Vec<Resource>,
    pub(crate) code: Bytecode,
    /// The first instruction.
    pub(crate) start: Pc,
}

impl Kernel {
    /// Translates a compute entry point of a program without overrides (see [`Program::specialize`]).
    pub fn new(program: &Program, entry_point: &str) -> Result<Self, KernelError> {
        Self::within(program, entry_point, &Meter::unlimited())
    }

    /// Like [`Kernel::new`], within work limits. A step is a statement, an expression or a few words of a constant;
    /// bytes are those of constants.
    pub fn within(
        program: &Program,
        entry_point: &str,
        meter: &Meter,
    ) -> Result<Self, KernelError> {
        let module = program.module();
        let (index, entry) = module
            .entry_points
            .iter()
            .enumerate()
            .find(|(_, entry)| entry.name == entry_point && entry.stage == ShaderStage::Compute)
            .ok_or_else(|| KernelError::NoEntryPoint(entry_point.to_owned()))?;
        if entry.workgroup_size_overrides.is_some() {
            return Err(KernelError::Unresolved("the workgroup size".to_owned()));
        }
        let (code, start, resources) = translate(program, entry, index, meter)?;
        Ok(Self {
            program: program.clone(),
            name: entry.name.clone(),
            workgroup_size: entry.workgroup_size,
            subgroup_size: SubgroupSize::default(),
            resources,
            code,
            start,
        })
    }

    /// The same kernel with another subgroup size.
    pub fn with_subgroup_size(self, subgroup_size: SubgroupSize) -> Self {
        Self {
            subgroup_size,
            ..self
        }
    }

    /// The entry point's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Invocations of a workgroup along x, y and z.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }

    /// The number of lanes of a subgroup.
    pub fn subgroup_size(&self) -> SubgroupSize {
        self.subgroup_size
    }

    /// The resources of the entry point, in the order in which [`Arguments`](crate::Arguments) lists them.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The source position of an instruction.
    pub(crate) fn location(&self, pc: Pc) -> SourceLocation {
        let spans = &self.code.spans[pc as usize..];
        // Instructions that belong to no statement, such as a function prologue, belong to the next statement.
        let span = spans.iter().find(|span| span.is_defined())?;
        self.program.locate(*span).map(Box::new)
    }
}

//! A compute entry point, translated once into the bytecode that a [`Worker`](crate::Worker) executes.

use anywarp_execution::Interface;
use anywarp_program::Program;
use anywarp_program::work::Meter;

use crate::bytecode::{Bytecode, Pc};
use crate::translate::translate;
use crate::{KernelError, Resource, SourceLocation, SubgroupSize};

/// A compute entry point as bytecode. Immutable and shared by any number of workers.
#[derive(Debug)]
pub struct Kernel {
    program: Program,
    interface: Interface,
    subgroup_size: SubgroupSize,
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
        let interface = Interface::new(program, entry_point)?;
        Self::with_interface(program, interface, meter)
    }

    /// Like [`Kernel::within`], for the [`Interface`] of an entry point of the same program.
    ///
    /// # Panics
    ///
    /// If the program has no entry point with the index of the interface.
    pub fn with_interface(
        program: &Program,
        interface: Interface,
        meter: &Meter,
    ) -> Result<Self, KernelError> {
        let (code, start) = translate(program, &interface, meter)?;
        Ok(Self {
            program: program.clone(),
            interface,
            subgroup_size: SubgroupSize::default(),
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
        &self.interface.name
    }

    /// Invocations of a workgroup along x, y and z.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.interface.workgroup_size()
    }

    /// The number of lanes of a subgroup.
    pub fn subgroup_size(&self) -> SubgroupSize {
        self.subgroup_size
    }

    /// The resources of the entry point, in the order in which [`Arguments`](crate::Arguments) lists them.
    pub fn resources(&self) -> &[Resource] {
        &self.interface.resources
    }

    /// The source position of an instruction.
    pub(crate) fn location(&self, pc: Pc) -> SourceLocation {
        let spans = &self.code.spans[pc as usize..];
        // Instructions that belong to no statement, such as a function prologue, belong to the next statement.
        let span = spans.iter().find(|span| span.is_defined())?;
        self.program.locate(*span).map(Box::new)
    }
}

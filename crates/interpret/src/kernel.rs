//! A compute entry point, resolved once into what a [`Worker`](crate::Worker) runs.

use anywarp_program::Program;

use crate::KernelError;

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The kernel only reads it.
    Read,
    /// The kernel may write it.
    ReadWrite,
}

/// Which address space a buffer stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage>`.
    Storage,
}

/// A buffer that a kernel uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// The variable's name in the program.
    pub name: String,
    /// Uniform or storage.
    pub kind: ResourceKind,
    /// Whether the kernel may write it.
    pub access: Access,
    /// The smallest buffer, in bytes, that holds the variable (with one element of a runtime array).
    pub min_size: u64,
}

/// One compute entry point in executable form. Immutable and shared by any number of workers.
#[derive(Debug)]
pub struct Kernel {
    name: String,
    workgroup_size: [u32; 3],
    resources: Vec<Resource>,
}

impl Kernel {
    /// Resolves a compute entry point of a program without overrides
    /// (see [`Program::specialize`]).
    pub fn new(program: &Program, entry_point: &str) -> Result<Self, KernelError> {
        let _ = program;
        Err(KernelError::NoEntryPoint(entry_point.to_owned()))
    }

    /// The entry point's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Invocations of a workgroup along x, y and z.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }

    /// The buffers that the entry point uses, in the order in which
    /// [`Arguments::buffers`](crate::Arguments::buffers) must give them.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }
}

//! The result of a compilation: code, and what must be bound to run it.

use std::time::Duration;

use anywarp_codegen::Code;
use anywarp_lanes::{BufferSource, HostCalls};
use naga::Span;

/// The time that each stage of compilation took.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileTimes {
    /// Lowering from the program to vector IR.
    pub lower: Duration,
    /// Optimization passes on the vector IR.
    pub passes: Duration,
    /// The bounds verifier: the proof that memory accesses of the vector IR are in bounds.
    pub bounds: Duration,
    /// Instruction selection.
    pub select: Duration,
    /// Register allocation.
    pub allocate: Duration,
    /// Encoding and mapping as executable memory.
    pub emit: Duration,
    /// Translation validation of the machine code.
    pub scan: Duration,
}

impl CompileTimes {
    /// The sum of all stages.
    pub fn total(&self) -> Duration {
        let before = self.lower + self.passes + self.bounds;
        before + self.select + self.allocate + self.emit + self.scan
    }

    /// Adds the times of the code generator for a function.
    pub(crate) fn add(&mut self, code: &Code) {
        let times = code.times();
        self.select += times.select;
        self.allocate += times.allocate;
        self.emit += times.emit + times.map;
        self.scan += times.scan;
    }
}

/// The target of a call in the code of a kernel.
#[derive(Debug)]
pub enum CompiledCallee {
    /// A function.
    Function(Code),
    /// The host, which handles [`CompiledKernel::host_calls`].
    Host,
}

/// How a workgroup is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubgroupCalls {
    /// One call runs all subgroups.
    Once,
    /// Each call runs a subgroup to its next barrier.
    PerSubgroup {
        /// The number of subgroups of a workgroup.
        subgroups: u32,
    },
}

/// An entry point in machine code.
#[derive(Debug)]
#[non_exhaustive]
pub struct CompiledKernel {
    /// The entry point's name.
    pub name: String,
    /// The code of the entry point.
    pub code: Code,
    /// The callees, by number.
    pub callees: Vec<CompiledCallee>,
    /// The host calls that the code makes.
    pub host_calls: HostCalls,
    /// What must be bound to each buffer of the code, by buffer number.
    pub buffers: Vec<BufferSource>,
    /// Words of workgroup memory, which must be zero when a workgroup begins.
    pub workgroup_words: u32,
    /// Words of immediate data.
    pub immediate_words: u32,
    /// Words of constant tables.
    pub constants: Vec<u32>,
    /// How a workgroup is run.
    pub subgroup_calls: SubgroupCalls,
    /// Bytes of the frame of a call, a multiple of 64. Subgroups that are run by calls of their own have a frame each.
    pub frame_bytes: u32,
    /// Whether the result depends on the number of lanes, because the kernel uses subgroup operations.
    pub uses_subgroups: bool,
    /// Whether it has non-temporal stores, after which a store fence is needed.
    pub has_non_temporal_stores: bool,
    /// Source spans of loops, by loop number.
    pub loops: Vec<Span>,
    /// Source spans of barriers; the first barrier has the number 1.
    pub barriers: Vec<Span>,
    /// The time of each stage, over all functions.
    pub times: CompileTimes,
    /// Steps of work of the compilation.
    pub steps: u64,
}

impl CompiledKernel {
    /// The number of frames that are alive at once.
    pub fn frames(&self) -> u32 {
        match self.subgroup_calls {
            SubgroupCalls::Once => 1,
            SubgroupCalls::PerSubgroup { subgroups } => subgroups,
        }
    }

    /// Whether it behaves like a kernel with this subgroup size.
    pub fn fits_subgroup_size(&self, lanes: u32) -> bool {
        !self.uses_subgroups || self.code.target().lanes() == lanes
    }
}

//! The interface of executors: one run of a program over some memory.

use std::collections::BTreeMap;
use std::fmt;

use anywarp_interpret::SubgroupSize;
use anywarp_program::naga;

use crate::feature::Feature;
use crate::texture::Bindings;

/// A binding: `@group` and `@binding`, written `0:1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
}

impl Slot {
    /// Reads `0:1`.
    pub fn parse(text: &str) -> Option<Self> {
        let (group, binding) = text.split_once(':')?;
        Some(Self {
            group: group.parse().ok()?,
            binding: binding.parse().ok()?,
        })
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.group, self.binding)
    }
}

/// The words of every buffer.
pub type Memory = BTreeMap<Slot, Vec<u32>>;

/// One run of one entry point.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The name of the program in messages.
    pub name: String,
    /// The program.
    pub wgsl: String,
    /// The device features needed beyond the core of WebGPU.
    pub needs: Vec<&'static Feature>,
    /// The subgroup size; `None` for the device's default.
    pub subgroup_size: Option<SubgroupSize>,
    /// The entry point; optional if the program has only one.
    pub entry: Option<String>,
    /// Values for pipeline-overridable constants.
    pub constants: Vec<(String, f64)>,
    /// Immediate data.
    pub immediates: Vec<u32>,
    /// Workgroups along x, y and z.
    pub workgroups: [u32; 3],
    /// Which bindings are textures, and which are arrays.
    pub bindings: Bindings,
    /// The contents of all bindings before the run.
    pub memory: Memory,
}

impl Dispatch {
    /// A run of a program with one entry point over some memory.
    pub fn new(
        name: impl Into<String>,
        wgsl: impl Into<String>,
        workgroups: [u32; 3],
        memory: Memory,
    ) -> Self {
        Self {
            name: name.into(),
            wgsl: wgsl.into(),
            needs: Vec::new(),
            subgroup_size: None,
            entry: None,
            constants: Vec::new(),
            immediates: Vec::new(),
            workgroups,
            bindings: Bindings::default(),
            memory,
        }
    }
}

/// The executors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutorName {
    /// The interpreter, called directly.
    Interpreter,
    /// The CPU adapter through wgpu.
    Adapter,
    /// The CPU adapter with machine code of 16 lanes, through wgpu.
    Avx512,
    /// The CPU adapter with machine code of 8 lanes, through wgpu.
    Avx2,
    /// Mesa's software Vulkan device, through wgpu.
    Lavapipe,
}

impl ExecutorName {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Interpreter,
        Self::Adapter,
        Self::Avx512,
        Self::Avx2,
        Self::Lavapipe,
    ];

    /// The executor that cases call by this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|executor| executor.to_string() == name)
    }

    /// Whether a program that ends with a fault gives an error message. Other executors may hang or end it silently,
    /// so they do not run such cases.
    pub fn reports_faults(self) -> bool {
        match self {
            Self::Interpreter | Self::Adapter | Self::Avx512 | Self::Avx2 => true,
            Self::Lavapipe => false,
        }
    }
}

impl fmt::Display for ExecutorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interpreter => "interpreter",
            Self::Adapter => "adapter",
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Lavapipe => "lavapipe",
        })
    }
}

/// Why a run gave no results: a fault of the program, or a failure of the executor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError(pub String);

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl RunError {
    /// The message of any error.
    pub fn from_display(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// The number of loop iterations of a workgroup after which it counts as endless: far more than any case needs, and
/// reached within seconds.
pub(crate) const MAX_ITERATIONS: u64 = 20_000_000;

/// Runs programs.
pub trait Executor {
    /// The name of the executor.
    fn name(&self) -> ExecutorName;

    /// Whether cases that need a feature are skipped. Only foreign devices may do that: for Anywarp's own executors a
    /// missing feature is a failure.
    fn leaves_out(&self, _feature: &Feature) -> bool {
        false
    }

    /// Whether it supports subgroups of this size; Anywarp's own executors support all.
    fn has_subgroups_of(&self, _size: SubgroupSize) -> bool {
        true
    }

    /// Runs a program once and returns the contents of its buffers.
    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError>;
}

/// The compute entry point to run: the one that was named, or the only one.
pub(crate) fn entry_point(module: &naga::Module, wanted: Option<&str>) -> Result<String, RunError> {
    let mut names = module
        .entry_points
        .iter()
        .filter(|entry| entry.stage == naga::ShaderStage::Compute)
        .map(|entry| entry.name.as_str());
    match wanted {
        Some(wanted) => names.find(|name| *name == wanted),
        None => names.next().filter(|_| names.next().is_none()),
    }
    .map(str::to_owned)
    .ok_or_else(|| RunError(format!("no entry point to run: {wanted:?}")))
}

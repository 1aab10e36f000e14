//! Options of a graph on a device.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::host_data::LocalArguments;
use crate::layout::MAX_LAUNCHES;
use crate::plan::PlanOptions;

/// Which misuse by node code is reported as a named fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Checks {
    /// Only what would break other nodes: budgets, missing targets, grids, inputs.
    #[default]
    Essential,
    /// Every misuse; costs some speed.
    All,
}

/// Whether the records that nodes send are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputCounts {
    /// [`StageCounts::records_out`](crate::device::StageCounts::records_out) is zero.
    #[default]
    Off,
    /// They are counted; costs some speed.
    On,
}

/// How many records the workgroups of coalescing nodes get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coalescing {
    /// As many as are there, up to the maximum of the node.
    #[default]
    Full,
    /// Pseudo-random numbers up to the maximum of the node, for tests.
    Random {
        /// The seed.
        seed: NonZeroU32,
    },
}

impl Coalescing {
    /// The seed for the device; zero for full workgroups.
    pub(super) fn seed(self) -> u32 {
        match self {
            Self::Full => 0,
            Self::Random { seed } => seed.get(),
        }
    }
}

/// What a device loss can be attributed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Breadcrumbs {
    /// The levels of a submission.
    #[default]
    Off,
    /// One node: the host waits for every node separately, which is slow.
    PerNode,
}

/// Options of a graph on a device. An open struct like wgpu's descriptors, since it borrows layouts as they do: end it
/// with `..Default::default()`.
#[derive(Clone, Debug)]
pub struct GraphOptions<'a> {
    /// The memory of its records.
    pub plan: PlanOptions,
    /// Which misuse is reported.
    pub checks: Checks,
    /// Whether the records that nodes send are counted.
    pub output_counts: OutputCounts,
    /// How many records the workgroups of coalescing nodes get.
    pub coalescing: Coalescing,
    /// Layouts of the user's bind groups, from group 0 on.
    pub bind_group_layouts: &'a [&'a wgpu::BindGroupLayout],
    /// The local arguments of nodes.
    pub local_arguments: LocalArguments,
    /// The maximum number of inputs of a run.
    pub max_inputs: u32,
    /// The maximum number of launches of a node in one dispatch: records of thread and coalescing
    /// nodes, otherwise workgroups. Further launches wait for the next sweep, which then is a
    /// submission of its own. Use a small number on devices that reset after long dispatches.
    pub max_launches: u32,
    /// What a device loss can be attributed to.
    pub breadcrumbs: Breadcrumbs,
    /// The time after which a run ends between two submissions with
    /// [`GraphError::TimeLimitExceeded`](crate::GraphError::TimeLimitExceeded). A graph with
    /// recursive nodes can run for years, although each dispatch is short. It has no effect in
    /// browsers.
    pub time_limit: Option<Duration>,
}

impl Default for GraphOptions<'_> {
    fn default() -> Self {
        Self {
            plan: PlanOptions::default(),
            checks: Checks::default(),
            output_counts: OutputCounts::default(),
            coalescing: Coalescing::default(),
            bind_group_layouts: &[],
            local_arguments: LocalArguments::default(),
            max_inputs: 256,
            max_launches: MAX_LAUNCHES,
            breadcrumbs: Breadcrumbs::default(),
            time_limit: None,
        }
    }
}

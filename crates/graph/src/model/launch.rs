//! Launch modes of nodes, and the table of their kinds.
//!
//! A kind is a launch mode, and for broadcasting nodes whether the grid is fixed. The rules, the code
//! generator and the shaders of the runtime all read the same table.

use std::fmt::Write;

/// The grid of workgroups that one record of a broadcasting node launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: a grid is known before the run or is part of the record.
pub enum Grid {
    /// The same for each record.
    Fixed([u32; 3]),
    /// The grid is stored in the record's grid field, with a maximum in each dimension.
    Dynamic {
        /// The maximum number of workgroups in each dimension.
        max: [u32; 3],
    },
}

impl Grid {
    /// The maximum number of workgroups in each dimension.
    pub fn max(self) -> [u32; 3] {
        match self {
            Self::Fixed(grid) | Self::Dynamic { max: grid } => grid,
        }
    }
}

/// The launch mode of a node: how records are grouped into invocations and workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: the launch modes of the work graph specification.
pub enum Launch {
    /// One invocation for each record.
    Thread,
    /// One workgroup for one or more records.
    Coalescing {
        /// The maximum number of records of a workgroup.
        max_records: u32,
        /// The workgroup size.
        workgroup_size: [u32; 3],
    },
    /// A grid of workgroups for each record.
    Broadcasting {
        /// The grid of workgroups.
        grid: Grid,
        /// The workgroup size.
        workgroup_size: [u32; 3],
    },
}

impl Launch {
    /// The mode's name.
    pub fn name(self) -> &'static str {
        self.kind().mode
    }

    /// Its row of the table of kinds.
    pub(crate) fn kind(self) -> &'static LaunchKind {
        match self {
            Self::Thread => &KINDS[0],
            Self::Coalescing { .. } => &KINDS[1],
            Self::Broadcasting {
                grid: Grid::Fixed(_),
                ..
            } => &KINDS[2],
            Self::Broadcasting {
                grid: Grid::Dynamic { .. },
                ..
            } => &KINDS[3],
        }
    }

    /// The workgroup size that the node sees; a thread node has no workgroup.
    pub(crate) fn workgroup_size(self) -> [u32; 3] {
        match self {
            Self::Thread => [1; 3],
            Self::Coalescing { workgroup_size, .. } | Self::Broadcasting { workgroup_size, .. } => {
                workgroup_size
            }
        }
    }

    /// The grid of a broadcasting node.
    pub(crate) fn grid(self) -> Option<Grid> {
        match self {
            Self::Thread | Self::Coalescing { .. } => None,
            Self::Broadcasting { grid, .. } => Some(grid),
        }
    }
}

/// What the rules and the runtime know of a kind of launch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LaunchKind {
    /// The launch mode's name.
    mode: &'static str,
    /// The name of its number in the shaders of the runtime.
    constant: &'static str,
    /// Its number in the tables of the runtime.
    pub(crate) number: u32,
    /// The maximum number of records that one launch sends; of a node with workgroups, a workgroup.
    pub(crate) max_output_records: u32,
    /// The maximum size in bytes of these records.
    pub(crate) max_output_bytes: u32,
    /// The parameters that the node's function may have.
    pub(crate) parameters: &'static [&'static str],
}

const KINDS: [LaunchKind; 4] = [
    LaunchKind {
        mode: "thread",
        constant: "THREAD",
        number: 0,
        max_output_records: 8,
        max_output_bytes: 128,
        parameters: &[],
    },
    LaunchKind {
        mode: "coalescing",
        constant: "COALESCING",
        number: 1,
        max_output_records: 256,
        max_output_bytes: 32 << 10,
        parameters: &["local_id", "local_index", "input_count"],
    },
    LaunchKind {
        mode: "broadcasting",
        constant: "FIXED",
        number: 2,
        max_output_records: 256,
        max_output_bytes: 32 << 10,
        parameters: BROADCASTING_PARAMETERS,
    },
    LaunchKind {
        mode: "broadcasting",
        constant: "DYNAMIC_GRID",
        number: 3,
        max_output_records: 256,
        max_output_bytes: 32 << 10,
        parameters: BROADCASTING_PARAMETERS,
    },
];

const BROADCASTING_PARAMETERS: &[&str] =
    &["group_id", "grid", "local_id", "global_id", "local_index"];

/// The numbers of the kinds as WGSL constants.
pub(crate) fn kinds_wgsl() -> String {
    let mut text = String::new();
    for kind in &KINDS {
        let _ = writeln!(text, "const {}: u32 = {}u;", kind.constant, kind.number);
    }
    text
}

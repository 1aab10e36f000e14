//! What the user says about nodes.
//!
//! In: calls that fill in a [`Node`] and its [`Output`]s. Out: the same, for the builder to check: no
//! rule is enforced here.

use std::fmt;

use anywarp_program::Source;

/// A node's name and its place in the array of that name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    /// The name, which all members of a node array share.
    pub name: String,
    /// The place in the array; zero for a node by itself.
    pub index: u32,
}

impl From<&str> for NodeId {
    fn from(name: &str) -> Self {
        (name, 0).into()
    }
}

impl From<(&str, u32)> for NodeId {
    fn from((name, index): (&str, u32)) -> Self {
        let name = name.to_owned();
        Self { name, index }
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            0 => f.write_str(&self.name),
            index => write!(f, "{}[{index}]", self.name),
        }
    }
}

/// The workgroups that one record of a broadcasting node launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// The same for each record.
    Fixed([u32; 3]),
    /// The record's grid field says it, at most so many in each direction.
    Dynamic {
        /// The most workgroups in each direction.
        max: [u32; 3],
    },
}

impl Grid {
    /// The most workgroups in each direction.
    pub fn max(self) -> [u32; 3] {
        match self {
            Self::Fixed(grid) | Self::Dynamic { max: grid } => grid,
        }
    }
}

/// What one launch of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// One invocation for each record.
    Thread,
    /// One workgroup for one or more records.
    Coalescing {
        /// The most records a workgroup gets.
        max_records: u32,
        /// Invocations of a workgroup.
        workgroup_size: [u32; 3],
    },
    /// A grid of workgroups for each record.
    Broadcasting {
        /// The workgroups.
        grid: Grid,
        /// Invocations of a workgroup.
        workgroup_size: [u32; 3],
    },
}

impl Launch {
    /// The mode's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Coalescing { .. } => "coalescing",
            Self::Broadcasting { .. } => "broadcasting",
        }
    }
}

/// What a node may do with its input records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Access {
    /// Read them.
    #[default]
    ReadOnly,
    /// Write them too: thread and coalescing nodes their own, broadcasting nodes the one that all
    /// workgroups of the grid share.
    ReadWrite,
    /// As `ReadWrite`, and a counter finds the last workgroup of a grid.
    Tracked,
}

/// A node: a kernel and how it is launched.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name and place in an array.
    pub id: NodeId,
    /// What a launch is.
    pub launch: Launch,
    /// The type of its input records; `None` if they are empty.
    pub input: Option<String>,
    /// What it may do with them.
    pub access: Access,
    /// Where it sends records.
    pub outputs: Vec<Output>,
    /// How often it may launch itself in a row.
    pub recursion: u32,
    /// Whether the host may feed it.
    pub entry: bool,
    /// The node whose input records it reads.
    pub shares_input_of: Option<NodeId>,
    /// The row of its local arguments; `None` takes the next free one.
    pub local_row: Option<u32>,
    /// The WGSL function; the node's name if `None`.
    pub function: Option<String>,
    /// The WGSL texts that it is made of, the first of which has the function.
    pub sources: Vec<Source>,
}

impl Node {
    fn new(id: NodeId, launch: Launch) -> Self {
        Self {
            id,
            launch,
            input: None,
            access: Access::ReadOnly,
            outputs: Vec::new(),
            recursion: 0,
            entry: false,
            shares_input_of: None,
            local_row: None,
            function: None,
            sources: Vec::new(),
        }
    }

    /// A node that runs one invocation for each record.
    pub fn thread(id: impl Into<NodeId>) -> Self {
        Self::new(id.into(), Launch::Thread)
    }

    /// A node that runs one workgroup for up to `max_records` records.
    pub fn coalescing(id: impl Into<NodeId>, max_records: u32, workgroup_size: [u32; 3]) -> Self {
        let launch = Launch::Coalescing {
            max_records,
            workgroup_size,
        };
        Self::new(id.into(), launch)
    }

    /// A node that runs a grid of workgroups for each record.
    pub fn broadcasting(id: impl Into<NodeId>, grid: Grid, workgroup_size: [u32; 3]) -> Self {
        let launch = Launch::Broadcasting {
            grid,
            workgroup_size,
        };
        Self::new(id.into(), launch)
    }

    /// Input records of this type, to be read.
    pub fn input(self, record: impl Into<String>) -> Self {
        self.input_with(record, Access::ReadOnly)
    }

    /// Input records of this type.
    pub fn input_with(mut self, record: impl Into<String>, access: Access) -> Self {
        self.input = Some(record.into());
        self.access = access;
        self
    }

    /// Adds an output.
    pub fn output(mut self, output: Output) -> Self {
        self.outputs.push(output);
        self
    }

    /// Lets it launch itself so many times in a row.
    pub fn recursion(mut self, depth: u32) -> Self {
        self.recursion = depth;
        self
    }

    /// Lets the host feed it.
    pub fn entry(mut self) -> Self {
        self.entry = true;
        self
    }

    /// Reads the records of another node.
    pub fn share_input_of(mut self, owner: impl Into<NodeId>) -> Self {
        self.shares_input_of = Some(owner.into());
        self
    }

    /// Chooses the row of its local arguments.
    pub fn local_row(mut self, row: u32) -> Self {
        self.local_row = Some(row);
        self
    }

    /// The WGSL function, where it has another name than the node.
    pub fn function(mut self, name: impl Into<String>) -> Self {
        self.function = Some(name.into());
        self
    }

    /// Adds a WGSL text. The first has the function, the others what it needs.
    pub fn source(mut self, source: Source) -> Self {
        self.sources.push(source);
        self
    }
}

/// Where records go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To one node.
    Node(NodeId),
    /// To the members `0..size` of a node array, chosen by the shader; all of them exist.
    Dense {
        /// The array's name.
        name: String,
        /// Its members.
        size: u32,
    },
    /// The same, but members may be missing.
    Sparse {
        /// The array's name.
        name: String,
        /// One more than the largest index.
        size: u32,
    },
    /// To any member that there is.
    Unbounded {
        /// The array's name.
        name: String,
    },
}

/// How many records an output may get from one launch: a workgroup, or an invocation of a thread node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Budget {
    /// So many by itself.
    Own(u32),
    /// What is left of an earlier output's budget.
    SharedWith(String),
}

/// A way out of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name that shaders use.
    pub name: String,
    /// Where the records go.
    pub target: Target,
    /// Their type; `None` if they are empty.
    pub record: Option<String>,
    /// How many there may be.
    pub budget: Budget,
}

impl Output {
    /// An output of up to `max_records` records to a node. The output has the target's name.
    pub fn to(target: impl Into<NodeId>, record: impl Into<String>, max_records: u32) -> Self {
        let target = target.into();
        Self {
            name: target.name.clone(),
            target: Target::Node(target),
            record: Some(record.into()),
            budget: Budget::Own(max_records),
        }
    }

    /// An output to a node that only counts its records.
    pub fn empty_to(target: impl Into<NodeId>, max_records: u32) -> Self {
        Self {
            record: None,
            ..Self::to(target, "", max_records)
        }
    }

    /// Sends to a node array instead.
    pub fn array(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    /// Another name than the target's.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Draws on the budget of an output declared before.
    pub fn share_budget(mut self, earlier: impl Into<String>) -> Self {
        self.budget = Budget::SharedWith(earlier.into());
        self
    }
}

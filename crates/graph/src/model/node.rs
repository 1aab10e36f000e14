//! Declarations of nodes and outputs.
//!
//! In: builder calls that fill in a [`Node`] and its [`Output`]s. Out: plain data; no rule is
//! checked here.

use std::fmt;

use anywarp_program::Source;

use super::launch::{Grid, Launch};
use super::record_type::RecordType;
#[cfg(feature = "derive")]
use crate::record::Record;

/// A node's name and its index in the node array of that name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    /// The name, which all members of a node array share.
    pub name: String,
    /// The array index; zero for a node outside an array.
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

/// A node's access to its input records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
// Exhaustive: the three kinds of access of the work graph specification.
pub enum InputAccess {
    /// Read only.
    #[default]
    ReadOnly,
    /// Read and write: thread and coalescing nodes their own records, broadcasting nodes the record
    /// that all workgroups of the grid share.
    ReadWrite,
    /// As `ReadWrite`, and a counter identifies the last workgroup of a grid that finishes with the
    /// record.
    Tracked,
}

/// The declaration of a node: a kernel and how it is launched.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name and array index.
    pub id: NodeId,
    /// The launch mode.
    pub launch: Launch,
    /// The name of the record type of its input; `None` if its records are empty.
    pub input: Option<String>,
    /// The declaration of that type, if the node has it from a Rust type. The graph then needs no
    /// other declaration.
    pub input_declaration: Option<RecordType>,
    /// The access to its input records.
    pub access: InputAccess,
    /// The outputs, to which it sends records.
    pub outputs: Vec<Output>,
    /// The maximum recursion depth: how many times it may launch itself in a row.
    pub recursion: u32,
    /// Whether the host may feed it.
    pub entry: bool,
    /// The node whose input it shares.
    pub shares_input_of: Option<NodeId>,
    /// The row of its local arguments; `None` assigns the next free one.
    pub local_row: Option<u32>,
    /// The WGSL function; the node's name if `None`.
    pub function: Option<String>,
    /// The WGSL sources; the first one contains the function.
    pub sources: Vec<Source>,
}

impl Node {
    fn new(id: NodeId, launch: Launch) -> Self {
        Self {
            id,
            launch,
            input: None,
            input_declaration: None,
            access: InputAccess::ReadOnly,
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

    /// Sets the record type of the input, with read access.
    #[cfg(feature = "derive")]
    pub fn input<R: Record>(self) -> Self {
        self.input_with::<R>(InputAccess::ReadOnly)
    }

    /// Sets the record type of the input and the access to it.
    #[cfg(feature = "derive")]
    pub fn input_with<R: Record>(self, access: InputAccess) -> Self {
        Self {
            input_declaration: Some(RecordType::of::<R>()),
            ..self.input_type_with(R::NAME, access)
        }
    }

    /// Sets the record type of the input by its name in the graph, with read access.
    pub fn input_type(self, record: impl Into<String>) -> Self {
        self.input_type_with(record, InputAccess::ReadOnly)
    }

    /// Sets the record type of the input by its name in the graph, and the access to it.
    pub fn input_type_with(mut self, record: impl Into<String>, access: InputAccess) -> Self {
        self.input = Some(record.into());
        self.access = access;
        self
    }

    /// Adds an output.
    pub fn output(mut self, output: Output) -> Self {
        self.outputs.push(output);
        self
    }

    /// Sets the maximum recursion depth.
    pub fn recursion(mut self, depth: u32) -> Self {
        self.recursion = depth;
        self
    }

    /// Makes the node an entry, which the host may feed.
    pub fn entry(mut self) -> Self {
        self.entry = true;
        self
    }

    /// Shares the input of another node.
    pub fn share_input_of(mut self, owner: impl Into<NodeId>) -> Self {
        self.shares_input_of = Some(owner.into());
        self
    }

    /// Sets the row of its local arguments.
    pub fn local_row(mut self, row: u32) -> Self {
        self.local_row = Some(row);
        self
    }

    /// Sets the WGSL function, if its name differs from the node's.
    pub fn function(mut self, name: impl Into<String>) -> Self {
        self.function = Some(name.into());
        self
    }

    /// Adds a WGSL source. The first one must contain the function.
    pub fn source(mut self, source: Source) -> Self {
        self.sources.push(source);
        self
    }

    /// Adds WGSL text with a file name for messages: [`Node::source`] of it.
    pub fn wgsl(self, file: impl Into<String>, text: impl Into<String>) -> Self {
        self.source(Source::new(file, text))
    }
}

/// The target of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
// Exhaustive: a node or an array of nodes, all of which exist or not.
pub enum Target {
    /// One node.
    Node(NodeId),
    /// The members `0..size` of a node array, all of which exist. The shader selects the index.
    Dense {
        /// The array's name.
        name: String,
        /// The number of members.
        size: u32,
    },
    /// The members `0..size` of a node array, some of which may be missing.
    Sparse {
        /// The array's name.
        name: String,
        /// The number of members: one more than the largest index.
        size: u32,
    },
    /// All existing members of a node array.
    Unbounded {
        /// The array's name.
        name: String,
    },
}

/// The maximum number of records of an output in one launch: a workgroup, or an invocation of a
/// thread node.
#[derive(Clone, Debug, PartialEq, Eq)]
// Exhaustive: an output has a budget of its own or that of another one.
pub enum Budget {
    /// A budget of its own.
    Own(u32),
    /// Shares the budget of an earlier output.
    SharedWith(String),
}

/// An output of a node: where it sends records, and how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name that shaders use.
    pub name: String,
    /// The target.
    pub target: Target,
    /// The name of the record type; `None` if the records are empty.
    pub record: Option<String>,
    /// The declaration of that type, if the output has it from a Rust type.
    pub record_declaration: Option<RecordType>,
    /// The maximum number of records in one launch.
    pub budget: Budget,
}

impl Output {
    /// An output of up to `max_records` records to a node. Its name is the target's name.
    #[cfg(feature = "derive")]
    pub fn to<R: Record>(target: impl Into<NodeId>, max_records: u32) -> Self {
        Self {
            record_declaration: Some(RecordType::of::<R>()),
            ..Self::of_type(target, R::NAME, max_records)
        }
    }

    /// As [`Output::to`], with the name of the record type in the graph.
    pub fn of_type(target: impl Into<NodeId>, record: impl Into<String>, max_records: u32) -> Self {
        let target = target.into();
        Self {
            name: target.name.clone(),
            target: Target::Node(target),
            record: Some(record.into()),
            record_declaration: None,
            budget: Budget::Own(max_records),
        }
    }

    /// An output of up to `max_records` empty records to a node, which are only counted.
    pub fn empty_to(target: impl Into<NodeId>, max_records: u32) -> Self {
        Self {
            record: None,
            ..Self::of_type(target, "", max_records)
        }
    }

    /// Changes the target to a node array.
    pub fn array(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    /// Sets a name other than the target's.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Shares the budget of an output that is declared before.
    pub fn share_budget(mut self, earlier: impl Into<String>) -> Self {
        self.budget = Budget::SharedWith(earlier.into());
        self
    }
}

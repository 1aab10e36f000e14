//! Graphs as data: records, nodes, and what is known about them before anything runs.
//!
//! In: [`RecordType`]s and [`Node`]s. Out: a [`Graph`] in which every name is resolved and every rule
//! holds. Nothing here knows of a device.

mod builder;
mod fault;
mod identifier;
mod levels;
mod node;
mod record;
mod resolve;
mod rules;

pub use builder::{GraphBuilder, NodeOverride};
pub use fault::{Fault, Rule};
pub use levels::MAX_LEVELS;
pub use node::{Access, Budget, Grid, Launch, Node, NodeId, Output, Target};
pub use record::{Field, FieldType, MAX_RECORD_BYTES, RecordType, Scalar};
pub use resolve::{Resolved, ResolvedOutput};

/// A node of a [`Graph`] by its place in [`Graph::nodes`].
pub type NodeIndex = usize;

/// A node at one step of its recursion: what is launched at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The node.
    pub node: NodeIndex,
    /// How often the node has launched itself before.
    pub step: u32,
    /// When it runs in a sweep.
    pub level: u32,
}

/// A graph that obeys every rule.
#[derive(Clone, Debug)]
pub struct Graph {
    name: String,
    records: Vec<RecordType>,
    nodes: Vec<Resolved>,
    entries: Vec<NodeIndex>,
    stages: Vec<Stage>,
}

impl Graph {
    /// Begins a graph.
    pub fn builder(name: impl Into<String>) -> GraphBuilder {
        GraphBuilder::new(name.into())
    }

    /// The name, for messages and labels.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The record types.
    pub fn records(&self) -> &[RecordType] {
        &self.records
    }

    /// The nodes in the order of their declaration.
    pub fn nodes(&self) -> &[Resolved] {
        &self.nodes
    }

    /// The nodes that the host may feed. A GPU input names one by its place here.
    pub fn entries(&self) -> &[NodeIndex] {
        &self.entries
    }

    /// All stages, shallow levels first.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// One more than the deepest level.
    pub fn levels(&self) -> u32 {
        self.stages.last().map_or(0, |stage| stage.level + 1)
    }

    /// Looks a node up.
    pub fn node(&self, id: &NodeId) -> Option<NodeIndex> {
        self.nodes.iter().position(|node| node.id == *id)
    }

    /// The type of a node's input records; `None` if they are empty.
    pub fn input_record(&self, node: NodeIndex) -> Option<&RecordType> {
        self.nodes[node].record.map(|record| &self.records[record])
    }

    /// Whether a node takes its grid from its records.
    pub fn has_dynamic_grid(&self, node: NodeIndex) -> bool {
        matches!(
            self.nodes[node].launch,
            Launch::Broadcasting {
                grid: Grid::Dynamic { .. },
                ..
            }
        )
    }
}

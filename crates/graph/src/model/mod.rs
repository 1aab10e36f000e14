//! The graph model: records, nodes, and what is known about them before a run.
//!
//! In: [`RecordType`]s and [`Node`]s. Out: a [`Graph`] in which every name is resolved and every
//! rule holds. This module does not depend on a device.

mod builder;
mod identifier;
mod launch;
mod layering;
mod node;
mod record_difference;
mod record_type;
mod resolve;
mod rules;
mod violation;

pub use builder::{GraphBuilder, NodeOverride};
pub(crate) use launch::kinds_wgsl;
pub use launch::{Grid, Launch};
pub use layering::MAX_LEVELS;
pub use node::{Budget, InputAccess, Node, NodeId, Output, Target};
pub use record_difference::RecordDifference;
pub use record_type::{Field, FieldType, MAX_RECORD_BYTES, RecordType, Scalar};
pub use resolve::{ResolvedNode, ResolvedOutput};
pub use violation::{Rule, RuleViolation};

/// Index of a node in [`Graph::nodes`].
pub type NodeIndex = usize;

/// A node at one step of its recursion: the unit that a level launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The node.
    pub node: NodeIndex,
    /// How many times the node has launched itself before.
    pub step: u32,
    /// The level at which it runs in a sweep.
    pub level: u32,
}

/// A validated graph.
#[derive(Clone, Debug)]
pub struct Graph {
    name: String,
    records: Vec<RecordType>,
    nodes: Vec<ResolvedNode>,
    entries: Vec<NodeIndex>,
    stages: Vec<Stage>,
}

impl Graph {
    /// Creates a builder.
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

    /// The nodes in declaration order.
    pub fn nodes(&self) -> &[ResolvedNode] {
        &self.nodes
    }

    /// The nodes that the host may feed. A GPU input refers to them by index.
    pub fn entries(&self) -> &[NodeIndex] {
        &self.entries
    }

    /// All stages, sorted by level.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The number of levels: one more than the deepest level.
    pub fn levels(&self) -> u32 {
        self.stages.last().map_or(0, |stage| stage.level + 1)
    }

    /// The index of a node.
    pub fn node(&self, id: &NodeId) -> Option<NodeIndex> {
        self.nodes.iter().position(|node| node.id == *id)
    }

    /// The type of a node's input records; `None` if they are empty.
    pub fn input_record(&self, node: NodeIndex) -> Option<&RecordType> {
        self.nodes[node].record.map(|record| &self.records[record])
    }

    /// Whether a node's grid is stored in its records.
    pub fn has_dynamic_grid(&self, node: NodeIndex) -> bool {
        matches!(self.nodes[node].launch.grid(), Some(Grid::Dynamic { .. }))
    }
}

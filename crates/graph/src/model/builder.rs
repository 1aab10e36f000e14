//! Builder of a graph.
//!
//! In: records, nodes and overrides, in any order. Out: a [`Graph`], or the first rule violation.

use std::collections::HashMap;

use super::launch::{Grid, Launch};
use super::node::{Budget, Node, NodeId};
use super::record_type::RecordType;
use super::violation::{Rule, RuleViolation};
use super::{Graph, layering, resolve, rules};

/// The maximum number of nodes of a graph.
const MAX_NODES: usize = 1 << 16;

/// Changes to a node without touching its declaration or its shader (metadata override).
#[derive(Clone, Debug, Default)]
pub struct NodeOverride {
    /// Another name and array index. Targets refer to the new one.
    pub id: Option<NodeId>,
    /// Another grid, for broadcasting nodes; it must be fixed or dynamic as before.
    pub grid: Option<[u32; 3]>,
    /// Other budgets, by output name.
    pub budgets: Vec<(String, u32)>,
    /// Another recursion depth.
    pub recursion: Option<u32>,
    /// Whether the host may feed it.
    pub entry: Option<bool>,
    /// Another row of local arguments.
    pub local_row: Option<u32>,
}

/// A graph under construction.
#[derive(Clone, Debug)]
#[must_use]
pub struct GraphBuilder {
    name: String,
    records: Vec<RecordType>,
    nodes: Vec<Node>,
    overrides: Vec<(NodeId, NodeOverride)>,
}

impl GraphBuilder {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            records: Vec::new(),
            nodes: Vec::new(),
            overrides: Vec::new(),
        }
    }

    /// Adds a record type. Types that nodes name by a Rust type need not be added.
    pub fn record(mut self, record: RecordType) -> Self {
        self.records.push(record);
        self
    }

    /// Adds a node.
    pub fn node(mut self, node: Node) -> Self {
        self.nodes.push(node);
        self
    }

    /// Overrides a node, identified by its declared name.
    pub fn override_node(mut self, node: impl Into<NodeId>, change: NodeOverride) -> Self {
        self.overrides.push((node.into(), change));
        self
    }

    /// Checks all rules and builds the graph.
    pub fn build(mut self) -> Result<Graph, RuleViolation> {
        if self.nodes.len() > MAX_NODES {
            return Err(RuleViolation::of_graph(Rule::TooManyNodes));
        }
        self.apply_overrides()?;
        self.add_declarations()?;
        let nodes = resolve::resolve(self.nodes, &self.records)?;
        rules::check(&nodes, &self.records)?;
        let stages = layering::stages(&nodes)?;
        layering::check_dynamic_grids(&nodes, &stages)?;
        let entries = (0..nodes.len()).filter(|&node| nodes[node].entry).collect();
        Ok(Graph {
            name: self.name,
            records: self.records,
            nodes,
            entries,
            stages,
        })
    }

    /// Adds the record types that nodes and outputs declare themselves. Declarations of the same
    /// name must agree.
    fn add_declarations(&mut self) -> Result<(), RuleViolation> {
        let declarations = self.nodes.iter().flat_map(|node| {
            let outputs = node.outputs.iter();
            let outputs = outputs.filter_map(|output| output.record_declaration.as_ref());
            node.input_declaration.iter().chain(outputs)
        });
        for declared in declarations {
            let mut records = self.records.iter();
            let Some(known) = records.find(|record| record.name() == declared.name()) else {
                self.records.push(declared.clone());
                continue;
            };
            if let Some(difference) = known.difference(declared) {
                let rule = Rule::RecordConflict(difference);
                return Err(RuleViolation::of_record(declared.name(), rule));
            }
        }
        Ok(())
    }

    fn apply_overrides(&mut self) -> Result<(), RuleViolation> {
        // All overrides are looked up before any is applied, so that two nodes can swap their
        // names.
        let mut found = Vec::new();
        let nodes: HashMap<_, _> = (self.nodes.iter().enumerate().rev())
            .map(|(index, node)| (&node.id, index))
            .collect();
        for (id, change) in std::mem::take(&mut self.overrides) {
            let node = nodes.get(&id).copied();
            let node = node.ok_or_else(|| RuleViolation::of_graph(Rule::UnknownOverride(id)))?;
            found.push((node, change));
        }
        for (node, change) in found {
            apply(&mut self.nodes[node], change)?;
        }
        Ok(())
    }
}

fn apply(node: &mut Node, change: NodeOverride) -> Result<(), RuleViolation> {
    if let Some(sides) = change.grid {
        match &mut node.launch {
            Launch::Broadcasting { grid, .. } => match grid {
                Grid::Fixed(grid) | Grid::Dynamic { max: grid } => *grid = sides,
            },
            Launch::Thread | Launch::Coalescing { .. } => {
                let rule = Rule::OverrideMismatch("only broadcasting nodes have a grid");
                return Err(RuleViolation::of_node(&node.id, rule));
            }
        }
    }
    for (name, max_records) in change.budgets {
        let output = node.outputs.iter_mut().find(|output| output.name == name);
        match output.map(|output| &mut output.budget) {
            Some(Budget::Own(budget)) => *budget = max_records,
            Some(Budget::SharedWith(_)) => {
                let rule = Rule::OverrideMismatch("the output shares the budget of another output");
                return Err(RuleViolation::of_output(&node.id, &name, rule));
            }
            None => {
                let rule = Rule::OverrideMismatch("the node has no such output");
                return Err(RuleViolation::of_output(&node.id, &name, rule));
            }
        }
    }
    node.recursion = change.recursion.unwrap_or(node.recursion);
    node.entry = change.entry.unwrap_or(node.entry);
    node.local_row = change.local_row.or(node.local_row);
    if let Some(id) = change.id {
        // The name of the WGSL function does not change.
        node.function.get_or_insert_with(|| node.id.name.clone());
        node.id = id;
    }
    Ok(())
}

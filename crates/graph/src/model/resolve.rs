//! Name resolution: names become indices.
//!
//! In: declared nodes. Out: [`ResolvedNode`]s, whose records, targets, owners and local rows are
//! indices. A name that is not found is a [`RuleViolation`]; whether a node that is found may be
//! used is checked in `rules`.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use super::layering::MAX_LEVELS;
use super::node::{Budget, Node, NodeId, Output, Target};
use super::record_type::RecordType;
use super::violation::{Rule, RuleViolation};
use super::{NodeIndex, identifier};

/// The maximum number of outputs of a node.
const MAX_OUTPUTS: usize = 1024;
/// The maximum number of members of a node array.
const MAX_ARRAY: u32 = 4096;
/// The maximum number of targets of all outputs, multiplied by the steps of recursion: the plan has
/// an entry for each.
const MAX_TARGETS: u64 = 1 << 20;
/// The maximum number of rows of local arguments.
const MAX_ROWS: u32 = 1 << 20;

/// A node with resolved names. It dereferences to the declared [`Node`].
#[derive(Clone, Debug)]
pub struct ResolvedNode {
    declared: Node,
    /// Index of the input's record type in the graph.
    pub record: Option<usize>,
    /// The outputs in declaration order.
    pub resolved_outputs: Vec<ResolvedOutput>,
    /// The owner of its input: itself, unless it shares another node's.
    pub owner: NodeIndex,
    /// The other nodes that read its input.
    pub sharers: Vec<NodeIndex>,
    /// The row of its local arguments.
    pub row: u32,
}

impl Deref for ResolvedNode {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.declared
    }
}

impl ResolvedNode {
    /// Whether a parameter of its WGSL function may have this name.
    pub(crate) fn has_argument(&self, name: &str) -> bool {
        self.declared.launch.kind().parameters.contains(&name)
    }
}

/// An output with resolved names.
#[derive(Clone, Debug)]
pub struct ResolvedOutput {
    /// Its name.
    pub name: String,
    /// Index of the record type in the graph.
    pub record: Option<usize>,
    /// The possible targets, by array index; a single one if it is not an array. `None` is a hole.
    pub targets: Vec<Option<NodeIndex>>,
    /// Whether the target is a node array, so that the shader passes an index.
    pub is_array: bool,
    /// Index of the output that has the budget: itself or an earlier one.
    pub budget_of: usize,
    /// The maximum number of records of all outputs that share this budget, in one launch.
    pub max_records: u32,
}

pub(super) fn resolve(
    nodes: Vec<Node>,
    records: &[RecordType],
) -> Result<Vec<ResolvedNode>, RuleViolation> {
    let names = Names::new(&nodes, records)?;
    let rows = rows(&nodes)?;
    let mut resolved = Vec::with_capacity(nodes.len());
    let mut targets = 0_u64;
    for (declared, row) in nodes.iter().zip(rows) {
        let owner = names.owner(declared)?;
        // Deeper recursion is rejected elsewhere.
        let steps = u64::from(nodes[owner].recursion.min(MAX_LEVELS)) + 1;
        let resolved_outputs = names.outputs(declared, |found| {
            targets = targets.saturating_add(steps.saturating_mul(found as u64));
            targets <= MAX_TARGETS
        })?;
        resolved.push(ResolvedNode {
            record: names.input(declared)?,
            resolved_outputs,
            owner,
            sharers: Vec::new(),
            row,
            declared: declared.clone(),
        });
    }
    for sharer in 0..resolved.len() {
        let owner = resolved[sharer].owner;
        if owner != sharer {
            resolved[owner].sharers.push(sharer);
        }
    }
    Ok(resolved)
}

/// Assigns free rows, in order, to the nodes that did not choose one.
fn rows(nodes: &[Node]) -> Result<Vec<u32>, RuleViolation> {
    let taken: HashSet<u32> = nodes.iter().filter_map(|node| node.local_row).collect();
    let mut free = (0..).filter(|row| !taken.contains(row));
    nodes
        .iter()
        .map(|node| {
            let row = node.local_row.or_else(|| free.next()).unwrap_or(MAX_ROWS);
            if row < MAX_ROWS {
                Ok(row)
            } else {
                Err(RuleViolation::of_node(&node.id, Rule::LocalRow(row)))
            }
        })
        .collect()
}

struct Names<'a> {
    nodes: HashMap<&'a NodeId, NodeIndex>,
    arrays: HashMap<&'a str, Vec<(u32, NodeIndex)>>,
    records: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn new(nodes: &'a [Node], records: &'a [RecordType]) -> Result<Self, RuleViolation> {
        let mut names = Self {
            nodes: HashMap::new(),
            arrays: HashMap::new(),
            records: HashMap::new(),
        };
        for (index, record) in records.iter().enumerate() {
            record.check()?;
            if names.records.insert(record.name(), index).is_some() {
                return Err(RuleViolation::of_record(
                    record.name(),
                    Rule::DuplicateRecord,
                ));
            }
        }
        for (index, node) in nodes.iter().enumerate() {
            let id = &node.id;
            if !identifier::is_legal(&id.name) {
                return Err(RuleViolation::of_node(id, Rule::Name(id.name.clone())));
            }
            if id.index >= MAX_ARRAY {
                let size = id.index.saturating_add(1);
                return Err(RuleViolation::of_node(id, Rule::ArraySize(size)));
            }
            if names.nodes.insert(id, index).is_some() {
                return Err(RuleViolation::of_node(id, Rule::DuplicateNode));
            }
            let members = names.arrays.entry(&id.name).or_default();
            members.push((id.index, index));
        }
        Ok(names)
    }

    fn record(&self, name: Option<&String>) -> Result<Option<usize>, Rule> {
        let unknown = |name: &String| Rule::UnknownRecord(name.clone());
        name.map(|name| {
            let found = self.records.get(name.as_str());
            found.copied().ok_or_else(|| unknown(name))
        })
        .transpose()
    }

    fn input(&self, node: &Node) -> Result<Option<usize>, RuleViolation> {
        let found = self.record(node.input.as_ref());
        found.map_err(|rule| RuleViolation::of_node(&node.id, rule))
    }

    fn owner(&self, node: &Node) -> Result<NodeIndex, RuleViolation> {
        let owner = node.shares_input_of.as_ref().unwrap_or(&node.id);
        let unknown = || RuleViolation::of_node(&node.id, Rule::UnknownOwner(owner.clone()));
        self.nodes.get(owner).copied().ok_or_else(unknown)
    }

    /// Resolves the outputs of a node; `has_room` is called with the number of targets of each.
    fn outputs(
        &self,
        node: &Node,
        mut has_room: impl FnMut(usize) -> bool,
    ) -> Result<Vec<ResolvedOutput>, RuleViolation> {
        let mut found: Vec<ResolvedOutput> = Vec::new();
        // Checked before names are compared pairwise.
        if node.outputs.len() > MAX_OUTPUTS {
            return Err(RuleViolation::of_node(&node.id, Rule::TooManyOutputs));
        }
        for output in &node.outputs {
            let resolved = self.output(output, &found);
            let fault = |rule| RuleViolation::of_output(&node.id, &output.name, rule);
            let resolved = resolved.map_err(fault)?;
            if !has_room(resolved.targets.len()) {
                return Err(RuleViolation::of_node(&node.id, Rule::TooManyTargets));
            }
            found.push(resolved);
        }
        Ok(found)
    }

    fn output(&self, output: &Output, earlier: &[ResolvedOutput]) -> Result<ResolvedOutput, Rule> {
        let name = output.name.clone();
        if !identifier::is_legal(&name) {
            return Err(Rule::Name(name));
        }
        if name == "input" {
            return Err(Rule::OutputNamedInput);
        }
        if earlier.iter().any(|other| other.name == name) {
            return Err(Rule::DuplicateOutput);
        }
        let (budget_of, max_records) = budget(&output.budget, earlier)?;
        Ok(ResolvedOutput {
            record: self.record(output.record.as_ref())?,
            targets: self.targets(&output.target)?,
            is_array: !matches!(output.target, Target::Node(_)),
            name,
            budget_of,
            max_records,
        })
    }

    fn targets(&self, target: &Target) -> Result<Vec<Option<NodeIndex>>, Rule> {
        let (name, size) = match target {
            Target::Node(id) => {
                let found = self.nodes.get(id).copied();
                return match found {
                    Some(node) => Ok(vec![Some(node)]),
                    None => Err(Rule::UnknownTarget(id.clone())),
                };
            }
            Target::Dense { name, size } | Target::Sparse { name, size } => (name, Some(*size)),
            Target::Unbounded { name } => (name, None),
        };
        let members = self.arrays.get(name.as_str());
        let members = members.ok_or_else(|| Rule::UnknownArray(name.clone()))?;
        let largest = members.iter().map(|(index, _)| index + 1).max();
        let size = size.or(largest).unwrap_or(0);
        if !(1..=MAX_ARRAY).contains(&size) {
            return Err(Rule::ArraySize(size));
        }
        let mut targets = vec![None; size as usize];
        for &(index, node) in members {
            if let Some(target) = targets.get_mut(index as usize) {
                *target = Some(node);
            }
        }
        if let (Target::Dense { .. }, Some(hole)) =
            (target, targets.iter().position(Option::is_none))
        {
            let (name, index) = (name.clone(), hole as u32);
            return Err(Rule::Hole { name, index });
        }
        Ok(targets)
    }
}

/// Index of the output whose budget is used, and that budget.
fn budget(budget: &Budget, earlier: &[ResolvedOutput]) -> Result<(usize, u32), Rule> {
    match budget {
        Budget::Own(max_records) => match max_records {
            1..=256 => Ok((earlier.len(), *max_records)),
            _ => Err(Rule::Budget(*max_records)),
        },
        Budget::SharedWith(name) => {
            let found = earlier.iter().position(|output| output.name == *name);
            let found = found.ok_or_else(|| Rule::SharedBudget(name.clone()))?;
            if earlier[found].budget_of != found {
                return Err(Rule::NestedSharedBudget(name.clone()));
            }
            Ok((found, earlier[found].max_records))
        }
    }
}

//! Validation of a resolved graph.
//!
//! In: nodes with resolved names. Out: the first [`RuleViolation`], if any. Each function checks
//! one kind of rule; those about chains of nodes are in `layering`.

use std::collections::HashMap;

use super::NodeIndex;
use super::launch::{Grid, Launch};
use super::node::InputAccess;
use super::record_type::{MAX_RECORD_BYTES, RecordType};
use super::resolve::{ResolvedNode, ResolvedOutput};
use super::violation::{Rule, RuleViolation};

/// The maximum number of workgroups in one dimension.
const MAX_GRID_SIDE: u32 = 65535;
/// The maximum number of workgroups of a grid.
const MAX_GRID: u64 = (1 << 24) - 1;
/// The maximum workgroup size on any device.
const MAX_WORKGROUP: u64 = 1024;
/// The maximum number of records of a workgroup of a coalescing node.
const MAX_COALESCED: u32 = 256;
/// The maximum number of nodes that read an input, including its owner.
const MAX_READERS: usize = 256;

pub(super) fn check(nodes: &[ResolvedNode], records: &[RecordType]) -> Result<(), RuleViolation> {
    for node in nodes {
        let fault = |rule| RuleViolation::of_node(&node.id, rule);
        launch(node, records).map_err(fault)?;
        input(node).map_err(fault)?;
    }
    for index in 0..nodes.len() {
        let fault = |rule| RuleViolation::of_node(&nodes[index].id, rule);
        sharing(nodes, index).map_err(fault)?;
        for output in &nodes[index].resolved_outputs {
            let place = |rule| RuleViolation::of_output(&nodes[index].id, &output.name, rule);
            sent(output, records).map_err(place)?;
            targets(nodes, output, records).map_err(place)?;
        }
        recursion(nodes, index).map_err(fault)?;
        budgets(nodes, index, records).map_err(fault)?;
    }
    arrays(nodes)?;
    reachable(nodes)
}

fn launch(node: &ResolvedNode, records: &[RecordType]) -> Result<(), Rule> {
    if let Launch::Coalescing { max_records, .. } = node.launch
        && !(1..=MAX_COALESCED).contains(&max_records)
    {
        return Err(Rule::CoalescingRecords(max_records));
    }
    if let Some(grid) = node.launch.grid() {
        check_grid(grid)?;
        let has_field = node
            .record
            .is_some_and(|record| records[record].grid_field().is_some());
        if matches!(grid, Grid::Dynamic { .. }) && !has_field {
            return Err(Rule::NoGridField);
        }
    }
    let workgroup_size = node.launch.workgroup_size();
    match product(workgroup_size) {
        1..=MAX_WORKGROUP => Ok(()),
        _ => Err(Rule::WorkgroupSize(workgroup_size)),
    }
}

fn check_grid(grid: Grid) -> Result<(), Rule> {
    let sides = grid.max();
    if sides.iter().any(|side| !(1..=MAX_GRID_SIDE).contains(side)) {
        return Err(Rule::GridSide(sides));
    }
    if product(sides) > MAX_GRID {
        return Err(Rule::GridTotal(sides));
    }
    Ok(())
}

fn product(sides: [u32; 3]) -> u64 {
    let product = sides
        .iter()
        .try_fold(1_u64, |all, &side| all.checked_mul(side.into()));
    product.unwrap_or(u64::MAX)
}

fn input(node: &ResolvedNode) -> Result<(), Rule> {
    let broadcasts = matches!(node.launch, Launch::Broadcasting { .. });
    match node.access {
        InputAccess::Tracked if !broadcasts => Err(Rule::TrackedLaunch),
        InputAccess::ReadWrite | InputAccess::Tracked if node.record.is_none() => {
            Err(Rule::EmptyInputWritten)
        }
        _ => Ok(()),
    }
}

fn sharing(nodes: &[ResolvedNode], index: NodeIndex) -> Result<(), Rule> {
    let node = &nodes[index];
    if node.sharers.len() + 1 > MAX_READERS {
        return Err(Rule::TooManyReaders(node.sharers.len() + 1));
    }
    if !node.sharers.is_empty() && node.access != InputAccess::ReadOnly {
        return Err(Rule::SharedWritten);
    }
    if node.owner == index {
        return match node.shares_input_of {
            Some(_) => Err(Rule::OwnSharer),
            None => Ok(()),
        };
    }
    let owner = &nodes[node.owner];
    if owner.owner != node.owner {
        return Err(Rule::NestedSharing(owner.id.clone()));
    }
    if owner.record != node.record {
        return Err(Rule::SharerRecord(owner.id.clone()));
    }
    if node.access != InputAccess::ReadOnly {
        return Err(Rule::SharedWritten);
    }
    if node.entry {
        return Err(Rule::SharerIsEntry);
    }
    let feeds = |to: NodeIndex| {
        let mut targets = node
            .resolved_outputs
            .iter()
            .flat_map(|output| &output.targets);
        targets.any(|&target| target == Some(to))
    };
    if node.recursion > 0 || feeds(index) {
        return Err(Rule::SharerRecurses);
    }
    if feeds(node.owner) {
        return Err(Rule::SharerFeedsOwner(owner.id.clone()));
    }
    Ok(())
}

/// Records that only the host creates may be larger.
fn sent(output: &ResolvedOutput, records: &[RecordType]) -> Result<(), Rule> {
    let record = output.record.map(|record| &records[record]);
    match record.filter(|record| record.bytes() > MAX_RECORD_BYTES) {
        None => Ok(()),
        Some(record) => Err(Rule::SentRecordTooLarge {
            record: record.name().to_owned(),
            bytes: record.bytes(),
        }),
    }
}

fn targets(
    nodes: &[ResolvedNode],
    output: &ResolvedOutput,
    records: &[RecordType],
) -> Result<(), Rule> {
    for &target in output.targets.iter().flatten() {
        let target_node = &nodes[target];
        if target_node.owner != target {
            return Err(Rule::SharerTargeted(target_node.id.clone()));
        }
        if target_node.record != output.record {
            return Err(Rule::RecordMismatch {
                output: record_name(output.record, records),
                target: target_node.id.clone(),
                input: record_name(target_node.record, records),
            });
        }
    }
    Ok(())
}

fn record_name(record: Option<usize>, records: &[RecordType]) -> String {
    match record {
        Some(record) => format!("`{}`", records[record].name()),
        None => "empty records".to_owned(),
    }
}

fn recursion(nodes: &[ResolvedNode], index: NodeIndex) -> Result<(), Rule> {
    let node = &nodes[index];
    let targets = node
        .resolved_outputs
        .iter()
        .flat_map(|output| &output.targets);
    let has_edge = targets.flatten().any(|&target| target == index);
    match (has_edge, node.recursion) {
        (true, 0) => Err(Rule::SelfEdge),
        (false, depth) if depth > 0 => Err(Rule::NoSelfEdge(depth)),
        _ => Ok(()),
    }
}

/// Checks the maximum output of one launch.
fn budgets(nodes: &[ResolvedNode], index: NodeIndex, records: &[RecordType]) -> Result<(), Rule> {
    let node = &nodes[index];
    // Outputs that share a budget: each record may have the largest size.
    let mut costs = HashMap::<usize, (u64, u64)>::new();
    let mut shared = false;
    for output in &node.resolved_outputs {
        let targets = output.targets.iter().flatten();
        let readers = targets.map(|&target| nodes[target].sharers.len() as u64 + 1);
        let readers = readers.max().unwrap_or(1);
        shared |= readers > 1;
        let bytes = output.record.map_or(0, |record| records[record].bytes());
        let found = readers * u64::from(output.max_records);
        let cost = costs.entry(output.budget_of).or_default();
        cost.0 = cost.0.max(found);
        cost.1 = cost.1.max(found * u64::from(bytes));
    }
    let found: u64 = costs.values().map(|cost| cost.0).sum();
    let max = node.launch.kind().max_output_records;
    if found > max.into() {
        return Err(Rule::OutputRecords { found, max, shared });
    }
    let found: u64 = costs.values().map(|cost| cost.1).sum();
    let max = node.launch.kind().max_output_bytes;
    if found > max.into() {
        return Err(Rule::OutputBytes { found, max, shared });
    }
    Ok(())
}

/// Members of a node array must have the same signature, since a shader that selects a member uses
/// one type.
fn arrays(nodes: &[ResolvedNode]) -> Result<(), RuleViolation> {
    let mut first = HashMap::<&str, &ResolvedNode>::new();
    for node in nodes {
        let other = *first.entry(&node.id.name).or_insert(node);
        if other.record != node.record || other.launch.kind() != node.launch.kind() {
            let rule = Rule::ArrayMembersDiffer(other.id.clone(), node.id.clone());
            return Err(RuleViolation::of_node(&node.id, rule));
        }
    }
    Ok(())
}

fn reachable(nodes: &[ResolvedNode]) -> Result<(), RuleViolation> {
    let mut copies_inputs: Vec<_> = nodes.iter().map(|node| node.entry).collect();
    for (index, node) in nodes.iter().enumerate() {
        let targets = node
            .resolved_outputs
            .iter()
            .flat_map(|output| &output.targets);
        for &target in targets.flatten().filter(|&&target| target != index) {
            copies_inputs[target] = true;
        }
    }
    for node in nodes {
        if !copies_inputs[node.owner] {
            return Err(RuleViolation::of_node(&node.id, Rule::Unreachable));
        }
    }
    Ok(())
}

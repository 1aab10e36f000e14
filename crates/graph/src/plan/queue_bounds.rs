//! Worst-case bounds of queue sizes.
//!
//! In: queues and stages. Out: the maximum number of records that a launch adds to a queue, the
//! minimum capacity of a queue, and the capacity that it would need if every launch used its whole
//! budget.

use std::collections::BTreeMap;

use super::{Edge, PlanOptions, PlannedStage, Queue};
use crate::model::{Graph, Grid, Launch, ResolvedNode};

/// The maximum number of records of a queue: record numbers are summed in 32 bits.
const MAX_RECORDS: u64 = 1 << 31;

/// The maximum number of records that one launch adds to each queue. A budget counts once for a
/// queue, however many outputs lead there, and an array output may send its whole budget to any one
/// member.
pub(super) fn edges(node: &ResolvedNode, targets: &[Vec<Option<usize>>]) -> Vec<Edge> {
    let mut budgets = BTreeMap::new();
    for (output, targets) in node.resolved_outputs.iter().zip(targets) {
        for &queue in targets.iter().flatten() {
            budgets.insert((queue, output.budget_of), output.max_records);
        }
    }
    let mut worst = BTreeMap::new();
    for ((queue, _), records) in budgets {
        *worst.entry(queue).or_default() += records;
    }
    worst
        .into_iter()
        .map(|(queue, max_records)| Edge { queue, max_records })
        .collect()
}

/// The maximum number of launches for one record.
fn launches(launch: Launch) -> u64 {
    let [x, y, z] = launch.grid().map_or([1; 3], Grid::max).map(u64::from);
    x * y * z
}

/// Computes minimum capacities: a queue needs room for as many worst-case launches as there are
/// stages at one level that fill it, since these stages divide the room evenly.
pub(super) fn set_minimum_capacities(queues: &mut [Queue], stages: &[PlannedStage]) {
    let mut fillers = BTreeMap::<(usize, u32), (u32, u32)>::new();
    for stage in stages {
        for edge in &stage.edges {
            let (count, worst) = fillers.entry((edge.queue, stage.stage.level)).or_default();
            *count += 1;
            *worst = (*worst).max(edge.max_records);
        }
    }
    for queue in &mut *queues {
        queue.minimum = 1;
    }
    for ((queue, _), (count, worst)) in fillers {
        // Far below 2^32: there are at most 2^16 nodes, and each output's budget is at most 2^8
        // records.
        let least = count.saturating_mul(worst).min(MAX_RECORDS as u32);
        queues[queue].minimum = u32::max(queues[queue].minimum, least);
    }
}

/// The number of records of each queue if every launch used its whole budget, saturated at the
/// maximum.
pub(super) fn full_capacities(
    graph: &Graph,
    queues: &[Queue],
    stages: &[PlannedStage],
    options: &PlanOptions,
) -> Vec<u64> {
    let mut needs = vec![0_u64; queues.len()];
    for (need, queue) in needs.iter_mut().zip(queues) {
        if graph.nodes()[queue.node].entry && queue.step == 0 {
            *need = options.input_records;
        }
    }
    // Stages are sorted by level, so the bound of a queue is final before its readers are
    // processed.
    for stage in stages {
        let waiting = needs[stage.queue].min(MAX_RECORDS);
        let launches = waiting.saturating_mul(launches(graph.nodes()[stage.stage.node].launch));
        for edge in &stage.edges {
            let sent = launches.saturating_mul(edge.max_records.into());
            needs[edge.queue] = needs[edge.queue].saturating_add(sent);
        }
    }
    for (need, queue) in needs.iter_mut().zip(queues) {
        *need = (*need).clamp(queue.minimum.into(), MAX_RECORDS);
    }
    needs
}

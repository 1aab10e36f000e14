//! The counters of a graph run, as a table and as JSON.

use std::fmt::Write;

use anywarp_graph::{Graph, Plan, Report};
use serde::Serialize;

/// The counters of a stage.
#[derive(Serialize)]
pub(super) struct StageReport {
    level: u32,
    node: String,
    /// The step of the node's recursion.
    step: u32,
    records_in: u64,
    records_out: u64,
    groups: u64,
    /// The most records that waited in its queue, and the queue's capacity.
    max_waiting: u32,
    room: u32,
}

pub(super) fn stages(graph: &Graph, plan: &Plan, report: &Report) -> Vec<StageReport> {
    let stages = plan.stages().iter().zip(&report.stages);
    stages
        .map(|(planned, counts)| StageReport {
            level: planned.stage.level,
            node: graph.nodes()[planned.stage.node].id.to_string(),
            step: planned.stage.step,
            records_in: counts.records_in,
            records_out: counts.records_out,
            groups: counts.groups,
            max_waiting: counts.max_waiting,
            room: plan.queues()[planned.queue].capacity,
        })
        .collect()
}

/// A line for each stage.
pub(super) fn table(stages: &[StageReport]) -> String {
    let head = [
        "level",
        "node",
        "records in",
        "records out",
        "groups",
        "most waiting",
        "room",
    ];
    let head = head.map(str::to_owned);
    let rows: Vec<_> = stages.iter().map(row).collect();
    let all = || [&head].into_iter().chain(&rows);
    let mut text = String::new();
    for row in all() {
        for (column, cell) in row.iter().enumerate() {
            let width = all().map(|row| row[column].len()).max().unwrap_or(0);
            let gap = if column == 0 { "" } else { "  " };
            // Names to the left, numbers to the right; writing to a string cannot fail.
            let _ = match column {
                1 => write!(text, "{gap}{cell:<width$}"),
                _ => write!(text, "{gap}{cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn row(stage: &StageReport) -> [String; 7] {
    let name = match stage.step {
        0 => stage.node.clone(),
        step => format!("{} +{step}", stage.node),
    };
    [
        stage.level.to_string(),
        name,
        stage.records_in.to_string(),
        stage.records_out.to_string(),
        stage.groups.to_string(),
        stage.max_waiting.to_string(),
        stage.room.to_string(),
    ]
}

//! `anywarp graph plan`: prints the levels, queues and memory of a graph.

use anywarp_graph::{GraphFile, Plan};
use serde::Serialize;

use super::args::PlanArgs;
use super::open;
use crate::console;
use crate::error::Error;

#[derive(Serialize)]
struct PlanReport<'a> {
    graph: &'a str,
    levels: u32,
    /// The smallest memory with which the graph completes.
    minimum_bytes: u64,
    /// The memory with which one sweep is enough.
    recommended_bytes: u64,
    /// The memory of all queues.
    bytes: u64,
    queues: Vec<QueueReport>,
}

#[derive(Serialize)]
struct QueueReport {
    node: String,
    step: u32,
    level: u32,
    readers: Vec<String>,
    record_bytes: u64,
    minimum_records: u32,
    records: u32,
}

pub(super) fn plan(args: &PlanArgs) -> Result<(), Error> {
    let file = open::read(&args.input)?;
    let plan = open::plan(&file, args.memory)?;
    if args.json {
        console::json(&report(&file, &plan))
    } else {
        console::result(plan.to_string().trim_end())
    }
}

fn report<'a>(file: &'a GraphFile, plan: &Plan) -> PlanReport<'a> {
    let nodes = file.graph().nodes();
    let queues = plan.queues().iter().map(|queue| QueueReport {
        node: nodes[queue.node].id.to_string(),
        step: queue.step,
        level: queue.level,
        readers: queue
            .readers
            .iter()
            .map(|&reader| nodes[plan.stages()[reader].stage.node].id.to_string())
            .collect(),
        record_bytes: 4 * u64::from(queue.stride),
        minimum_records: queue.minimum,
        records: queue.capacity,
    });
    PlanReport {
        graph: file.graph().name(),
        levels: plan.levels(),
        minimum_bytes: plan.minimum_bytes(),
        recommended_bytes: plan.recommended_bytes(),
        bytes: plan.bytes(),
        queues: queues.collect(),
    }
}

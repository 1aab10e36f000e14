//! Decodes the feedback of a run.
//!
//! In: the words of `control`. Out: whether work is left, which rules were violated, and counts.

use std::fmt;

use crate::layout::DeviceRule;
use crate::layout::{COUNTS, FAULT, HEADER, Layout, MAX_FAULTS, NONE, Row, member};
use crate::model::{Graph, NodeId};
use crate::plan::Plan;

/// The faults of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct DeviceFaults {
    /// The graph.
    pub graph: String,
    /// The first faults, without duplicates.
    pub faults: Vec<DeviceFault>,
    /// The total number of faults.
    pub count: u32,
}

/// A rule that was violated on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFault {
    /// The rule.
    pub rule: DeviceRule,
    /// The node; `None` if the fault is about an input.
    pub node: Option<NodeId>,
    /// The step of the node's recursion.
    pub step: u32,
    /// The index of the record in the node's queue, or of the input.
    pub record: u32,
    /// The output.
    pub output: Option<String>,
    /// The value that was found.
    pub found: u32,
    /// The value that is allowed.
    pub allowed: u32,
}

impl fmt::Display for DeviceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.node, self.record) {
            (Some(node), record) => {
                write!(f, "node `{node}`")?;
                if self.step > 0 {
                    write!(f, ", recursion step {}", self.step)?;
                }
                write!(f, ", record {record}")?;
            }
            (None, NONE) => f.write_str("the inputs")?,
            (None, input) => write!(f, "input {input}")?,
        }
        if let Some(output) = &self.output {
            write!(f, ", output `{output}`")?;
        }
        write!(
            f,
            ": {} (found {}, allowed {})",
            self.rule.message(),
            self.found,
            self.allowed
        )
    }
}

impl fmt::Display for DeviceFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "graph `{}`: ", self.graph)?;
        match self.faults.first() {
            Some(first) => first.fmt(f)?,
            None => f.write_str("a fault at an unknown location")?,
        }
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, " (and {} more)", count - 1),
        }
    }
}

/// The counts of a stage in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// Records received.
    pub records_in: u64,
    /// Workgroups launched.
    pub groups: u64,
    /// Records sent, if outputs are counted.
    pub records_out: u64,
    /// The maximum number of records in its queue, including those consumed since the queue was
    /// last empty.
    pub max_waiting: u32,
}

impl StageCounts {
    /// The difference to earlier counts. `max_waiting` remains that of the whole run.
    pub(super) fn since(&self, before: &Self) -> Self {
        Self {
            records_in: self.records_in - before.records_in,
            groups: self.groups - before.groups,
            records_out: self.records_out - before.records_out,
            max_waiting: self.max_waiting,
        }
    }

    /// The sum of two counts.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            records_in: self.records_in + other.records_in,
            groups: self.groups + other.groups,
            records_out: self.records_out + other.records_out,
            max_waiting: self.max_waiting.max(other.max_waiting),
        }
    }
}

/// The words of `control`.
pub(crate) struct ControlWords<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) layout: &'a Layout,
}

impl ControlWords<'_> {
    fn at(&self, first: u32, row: Row, name: &str) -> u32 {
        let place = first as usize + member(row, name) as usize;
        self.words.get(place).copied().unwrap_or(0)
    }

    /// Whether work is left after a sweep: inputs, or records in a queue.
    pub(crate) fn has_work_left(&self, plan: &Plan) -> bool {
        self.at(0, HEADER, "inputs_left") != 0 || self.deepest(plan).is_some()
    }

    /// The number of records that wait, counted for each reader.
    pub(crate) fn left(&self, plan: &Plan) -> u64 {
        let stages = plan.stages().iter().enumerate();
        let left = stages.map(|(index, stage)| {
            let waiting = self.waiting(stage.queue);
            u64::from(waiting.saturating_sub(self.done(index)))
        });
        left.sum()
    }

    /// The deepest level at which records wait for a reader.
    pub(crate) fn deepest(&self, plan: &Plan) -> Option<u32> {
        let mut stages = plan.stages().iter().enumerate().rev();
        let deepest = stages.find(|(index, stage)| self.waiting(stage.queue) > self.done(*index));
        deepest.map(|(_, stage)| stage.stage.level)
    }

    /// The number of sweeps so far that launched anything.
    pub(crate) fn sweeps(&self) -> u32 {
        self.at(0, HEADER, "sweeps") + u32::from(self.at(0, HEADER, "progress") != 0)
    }

    /// The number of records of its queue that a stage has launched completely, since the queue was
    /// last empty.
    fn done(&self, stage: usize) -> u32 {
        self.at(self.layout.counts(stage), COUNTS, "done")
    }

    /// The number of records that wait in a queue.
    pub(crate) fn waiting(&self, queue: usize) -> u32 {
        let place = self.layout.control.tails as usize + queue;
        self.words.get(place).copied().unwrap_or(0)
    }

    pub(crate) fn counts(&self, stage: usize) -> StageCounts {
        let first = self.layout.counts(stage);
        let word = |name| self.at(first, COUNTS, name);
        let wide = |low, high| u64::from(word(low)) | u64::from(word(high)) << 32;
        StageCounts {
            records_in: wide("records_in", "records_in_high") + u64::from(word("done")),
            groups: wide("groups", "groups_high"),
            records_out: wide("records_out", "records_out_high"),
            max_waiting: word("max_waiting"),
        }
    }

    pub(crate) fn faults(&self, graph: &Graph, plan: &Plan) -> Option<DeviceFaults> {
        let count = self.at(0, HEADER, "faults");
        if count == 0 {
            return None;
        }
        let mut faults: Vec<DeviceFault> = Vec::new();
        for index in 0..count.min(MAX_FAULTS) {
            let first = self.layout.control.faults + index * FAULT.len() as u32;
            // A record whose grid is too large causes the same fault in each sweep.
            match self.fault(first, graph, plan) {
                Some(fault) if !faults.contains(&fault) => faults.push(fault),
                _ => {}
            }
        }
        Some(DeviceFaults {
            graph: graph.name().to_owned(),
            faults,
            count,
        })
    }

    fn fault(&self, first: u32, graph: &Graph, plan: &Plan) -> Option<DeviceFault> {
        let word = |name| self.at(first, FAULT, name);
        let stage = plan.stages().get(word("stage") as usize);
        let node = stage.map(|stage| &graph.nodes()[stage.stage.node]);
        let output = node.and_then(|node| node.resolved_outputs.get(word("output") as usize));
        let rule = DeviceRule::from_number(word("rule"))?;
        Some(DeviceFault {
            rule,
            node: node.map(|node| node.id.clone()),
            step: stage.map_or(0, |stage| stage.stage.step),
            record: word("record"),
            output: output
                .filter(|_| rule != DeviceRule::Grid)
                .map(|output| output.name.clone()),
            found: word("found"),
            allowed: word("allowed"),
        })
    }
}

//! Runs a graph one level at a time.
//!
//! In: a run that has begun. Out: after each level its launches, and the records in the queue of
//! any node: those that wait, and before them those that were consumed since the queue was last
//! empty.

use std::ops::Range;

use super::encode::Piece;
use super::error::GraphError;
use super::feedback::Control;
use super::groups::Run;
use super::input::Input;
use super::layout::{LAUNCH, Row, member};
use super::readback;
use super::runner::{GraphRunner, Report, words_of};
use super::sweeps::{Outcome, Sweep};
use crate::field_value::Record;
use crate::model::{Graph, NodeId, NodeIndex};

/// The next part of the run.
#[derive(Clone, Copy, Debug)]
enum Next {
    Begin(Sweep),
    Level(u32),
    Settle,
    Nothing,
}

/// A run that pauses after each level.
pub struct Steps<'a> {
    runner: &'a GraphRunner,
    run: Run<'a>,
    next: Next,
    sweep: u32,
    /// The number of sweeps that launched anything.
    done: u32,
    control: Vec<u32>,
    report: Option<Report>,
}

/// The event that a step returns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// A sweep of all levels begins, and inputs were copied to the queues of entries, unless the
    /// host had written them there.
    Fed {
        /// The index of the sweep.
        sweep: u32,
    },
    /// A sweep begins that resumes at the deepest level where records were held back.
    Resumed {
        /// The index of the sweep.
        sweep: u32,
        /// The first level of the sweep.
        level: u32,
    },
    /// A level ran.
    Level {
        /// The index of the sweep.
        sweep: u32,
        /// The level.
        level: u32,
        /// The stages of the level.
        stages: Vec<StageStep>,
    },
    /// A sweep ended.
    Settled {
        /// The index of the sweep.
        sweep: u32,
        /// Whether work is left for another sweep.
        is_held: bool,
    },
}

/// The launches of a stage at its level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageStep {
    /// The node.
    pub node: NodeId,
    /// The step of its recursion.
    pub step: u32,
    /// The number of records in its queue, including those that earlier sweeps have consumed: a
    /// queue is reset when all its readers have consumed all its records.
    pub records: u32,
    /// The number of launches: records of thread nodes, otherwise workgroups.
    pub launched: u32,
    /// The number of records that were held back, wholly or in part.
    pub held: u32,
}

impl GraphRunner {
    /// Begins a run that pauses after each level. While it lasts, no other graph with the same
    /// arena runs: other threads wait, and on this thread it is an error, because it would wait for
    /// itself.
    pub async fn step<'a>(
        &'a self,
        input: &Input<'_>,
        bind_groups: &'a [&'a wgpu::BindGroup],
    ) -> Result<Steps<'a>, GraphError> {
        let run = self.begin(input, bind_groups).await?;
        run.guard.hold_for_steps(self.graph.name());
        Ok(Steps {
            control: run.control.clone(),
            run,
            runner: self,
            next: Next::Begin(Sweep::FIRST),
            sweep: 0,
            done: 0,
            report: None,
        })
    }
}

impl Steps<'_> {
    /// Runs to the end of the next level; `None` when no work is left.
    pub async fn advance(&mut self) -> Result<Option<Step>, GraphError> {
        self.run.guard.hold_for_steps(self.runner.graph.name());
        let levels = self.runner.plan.levels();
        let sweep = self.sweep;
        let after = |level: u32| match level < levels {
            true => Next::Level(level),
            false => Next::Settle,
        };
        match self.next {
            Next::Nothing => Ok(None),
            Next::Begin(begun) => {
                let pieces = self.runner.first_pieces(self.run.feed.is_some(), begun);
                if !pieces.is_empty() {
                    self.submit(&pieces).await?;
                }
                self.next = after(begun.from);
                Ok(Some(match begun.from {
                    0 => Step::Fed { sweep },
                    level => Step::Resumed { sweep, level },
                }))
            }
            Next::Level(level) => {
                let pieces = self.runner.level_pieces(level);
                let (admission, stages) = pieces.split_at(1);
                self.submit(admission).await?;
                let view = self.stages(level).await?;
                for stage in stages {
                    self.submit(std::slice::from_ref(stage)).await?;
                }
                self.next = after(level + 1);
                Ok(Some(Step::Level {
                    sweep,
                    level,
                    stages: view,
                }))
            }
            Next::Settle => {
                let outcome = self.runner.outcome(&self.control, &mut self.done)?;
                let is_held = matches!(outcome, Outcome::Left { .. });
                self.next = match outcome {
                    Outcome::Left { deepest } => Next::Begin(Sweep::later(deepest)),
                    Outcome::Done(report) => {
                        self.report = Some(report);
                        Next::Nothing
                    }
                };
                self.sweep += 1;
                Ok(Some(Step::Settled { sweep, is_held }))
            }
        }
    }

    /// The report of the whole run, once no work is left.
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.runner.graph
    }

    /// The number of records in the queue of a node at a step of its recursion; [`Steps::records`]
    /// describes which.
    pub fn count(&self, node: &NodeId, step: u32) -> Result<u32, GraphError> {
        let (_, queue) = self.queue(node, step)?;
        Ok(self.count_of(queue))
    }

    /// The records in the queue of a node at a step of its recursion, restricted to a range of
    /// indices. Only these are read back. Empty records have only a [`Steps::count`]. A node that
    /// shares an input uses its owner's queue.
    ///
    /// Indices are in order of arrival, and a record keeps its index until all readers of the queue
    /// have consumed all its records; the queue is reset before the next level, or at the beginning
    /// of the next sweep. So the first records may be consumed already, in this or in earlier
    /// sweeps, while the last ones wait: of a thread or coalescing node the last
    /// [`StageStep::held`] and all that arrived since.
    pub async fn records(
        &self,
        node: &NodeId,
        step: u32,
        range: Range<u32>,
    ) -> Result<Vec<Record>, GraphError> {
        let runner = self.runner;
        let (node, queue) = self.queue(node, step)?;
        let end = range.end.min(self.count_of(queue));
        let Some(record) = runner.graph.input_record(node) else {
            return Ok(Vec::new());
        };
        let planned = &runner.plan.queues()[queue];
        let stride = 4 * u64::from(planned.stride);
        let queue = runner.layout.records() + 4 * u64::from(planned.base);
        let first = queue + u64::from(range.start) * stride;
        let count = u64::from(end.saturating_sub(range.start));
        let bytes = self.arena_bytes(first, count * stride).await?;
        let records = bytes.chunks_exact(stride.max(4) as usize);
        Ok(records.map(|bytes| Record::decode(record, bytes)).collect())
    }

    fn count_of(&self, queue: usize) -> u32 {
        let capacity = self.runner.plan.queues()[queue].capacity;
        self.control().waiting(queue).min(capacity)
    }

    /// A node and the index of its queue in the plan.
    fn queue(&self, node: &NodeId, step: u32) -> Result<(NodeIndex, usize), GraphError> {
        let runner = self.runner;
        let found = runner.graph.node(node);
        let queue = found.and_then(|found| {
            let stages = runner.plan.stages().iter();
            let mut stages = stages.map(|stage| (stage.stage, stage.queue));
            stages.find(|(stage, _)| stage.node == found && stage.step == step)
        });
        let place = queue.map(|(stage, queue)| (stage.node, queue));
        place.ok_or_else(|| GraphError::Input {
            graph: runner.graph.name().to_owned(),
            message: format!("there is no node `{node}` at recursion step {step}"),
        })
    }

    fn control(&self) -> Control<'_> {
        self.runner.control(&self.control)
    }

    async fn submit(&mut self, pieces: &[Piece]) -> Result<(), GraphError> {
        self.control = self.runner.submit_pieces(&self.run, pieces).await?;
        match self.control().faults(&self.runner.graph, &self.runner.plan) {
            Some(faults) => Err(GraphError::Faults(faults)),
            None => Ok(()),
        }
    }

    async fn stages(&self, level: u32) -> Result<Vec<StageStep>, GraphError> {
        let runner = self.runner;
        let row = 4 * LAUNCH.len() as u64;
        let first = 4 * u64::from(runner.layout.launches);
        let bytes = row * runner.plan.stages().len() as u64;
        let words = words_of(&self.bytes(&runner.buffers.plan, first, bytes).await?);
        let stages = runner.plan.stages().iter().enumerate();
        let stages = stages.filter(|(_, stage)| stage.stage.level == level);
        let view = stages.map(|(index, stage)| {
            let launch = &words[index * LAUNCH.len()..][..LAUNCH.len()];
            StageStep {
                node: runner.graph.nodes()[stage.stage.node].id.clone(),
                step: stage.stage.step,
                records: self.control().waiting(stage.queue),
                launched: word(launch, LAUNCH, "units"),
                held: word(launch, LAUNCH, "left"),
            }
        });
        Ok(view.collect())
    }

    async fn arena_bytes(&self, offset: u64, size: u64) -> Result<Vec<u8>, GraphError> {
        match self.run.guard.as_ref() {
            Some(memory) => self.bytes(&memory.buffer, offset, size).await,
            None => Ok(Vec::new()),
        }
    }

    /// Reads bytes of a buffer.
    async fn bytes(
        &self,
        buffer: &wgpu::Buffer,
        offset: u64,
        size: u64,
    ) -> Result<Vec<u8>, GraphError> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let runner = self.runner;
        let staging = runner.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("graph step"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = runner.encoder();
        encoder.copy_buffer_to_buffer(buffer, offset, &staging, 0, size);
        runner.queue.submit([encoder.finish()]);
        let bytes = readback::read(&runner.device, &staging).await;
        bytes.map_err(|message| GraphError::Lost {
            graph: runner.graph.name().to_owned(),
            place: "between levels".to_owned(),
            message,
        })
    }
}

fn word(words: &[u32], row: Row, name: &str) -> u32 {
    words.get(member(row, name) as usize).copied().unwrap_or(0)
}

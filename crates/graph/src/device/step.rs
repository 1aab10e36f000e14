//! Runs a graph one level at a time.
//!
//! In: a run that has begun. Out: after each level its launches, and the records in the queue of
//! any node: those that wait, and before them those that were consumed since the queue was last
//! empty.

use std::fmt;
use std::ops::Range;

use super::bind_groups::Run;
use super::encode::SweepPart;
#[cfg(feature = "derive")]
use super::entry_records::check_type;
use super::error::GraphError;
use super::feedback::ControlWords;
use super::input::Input;
use super::input_error::InputError;
use super::readback;
use super::runner::{GraphRunner, Report, owned, words_of};
use super::sweeps::{Sweep, SweepOutcome};
use crate::layout::{LAUNCH, Row, member};
#[cfg(feature = "derive")]
use crate::model::RecordType;
use crate::model::{Graph, NodeId, NodeIndex};
#[cfg(feature = "derive")]
use crate::record::Record;
use crate::record::RecordValue;

/// The next part of the run.
#[derive(Clone, Copy, Debug)]
enum StepState {
    Begin(Sweep),
    Level(u32),
    EndSweep,
    Done,
}

/// A run that pauses after each level.
pub struct Steps<'a> {
    runner: &'a GraphRunner,
    run: Run<'a>,
    next: StepState,
    sweep: u32,
    /// The number of sweeps that launched anything.
    done: u32,
    control: Vec<u32>,
    report: Option<Report>,
}

impl fmt::Debug for Steps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps")
            .field("runner", &self.runner)
            .field("next", &self.next)
            .field("sweep", &self.sweep)
            .finish_non_exhaustive()
    }
}

/// The event that a step returns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// A sweep of all levels begins, and inputs were copied to the queues of entries, unless the
    /// host had written them there.
    SweepBegan {
        /// The index of the sweep.
        sweep: u32,
    },
    /// A sweep begins that resumes at the deepest level where records were held back.
    SweepResumed {
        /// The index of the sweep.
        sweep: u32,
        /// The first level of the sweep.
        level: u32,
    },
    /// A level ran.
    LevelRan {
        /// The index of the sweep.
        sweep: u32,
        /// The level.
        level: u32,
        /// The stages of the level.
        stages: Vec<StageStep>,
    },
    /// A sweep ended.
    SweepEnded {
        /// The index of the sweep.
        sweep: u32,
        /// Whether work is left for another sweep.
        has_work_left: bool,
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
        bind_groups: &[&wgpu::BindGroup],
    ) -> Result<Steps<'a>, GraphError> {
        self.step_with(input, owned(bind_groups)).await
    }

    pub(super) async fn step_with<'a>(
        &'a self,
        input: &Input<'_>,
        bind_groups: Vec<wgpu::BindGroup>,
    ) -> Result<Steps<'a>, GraphError> {
        let run = self.begin(input, bind_groups).await?;
        run.guard.hold_for_steps(self.graph.name());
        Ok(Steps {
            control: run.control.clone(),
            run,
            runner: self,
            next: StepState::Begin(Sweep::FIRST),
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
        let after = |level: u32| {
            if level < levels {
                StepState::Level(level)
            } else {
                StepState::EndSweep
            }
        };
        match self.next {
            StepState::Done => Ok(None),
            StepState::Begin(begun) => {
                let pieces = self.runner.first_pieces(self.run.source.is_some(), begun);
                if !pieces.is_empty() {
                    self.submit(&pieces).await?;
                }
                self.next = after(begun.from);
                Ok(Some(match begun.from {
                    0 => Step::SweepBegan { sweep },
                    level => Step::SweepResumed { sweep, level },
                }))
            }
            StepState::Level(level) => {
                let pieces = self.runner.level_pieces(level);
                let (admission, stages) = pieces.split_at(1);
                self.submit(admission).await?;
                let view = self.stages(level).await?;
                for stage in stages {
                    self.submit(std::slice::from_ref(stage)).await?;
                }
                self.next = after(level + 1);
                Ok(Some(Step::LevelRan {
                    sweep,
                    level,
                    stages: view,
                }))
            }
            StepState::EndSweep => {
                let outcome = self.runner.outcome(&self.control, &mut self.done)?;
                let has_work_left = matches!(outcome, SweepOutcome::WorkLeft { .. });
                self.next = match outcome {
                    SweepOutcome::WorkLeft { deepest } => StepState::Begin(Sweep::later(deepest)),
                    SweepOutcome::Done(report) => {
                        self.report = Some(report);
                        StepState::Done
                    }
                };
                self.sweep += 1;
                Ok(Some(Step::SweepEnded {
                    sweep,
                    has_work_left,
                }))
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
    ) -> Result<Vec<RecordValue>, GraphError> {
        let (node, queue) = self.queue(node, step)?;
        let Some(record) = self.runner.graph.input_record(node) else {
            return Ok(Vec::new());
        };
        let (bytes, stride) = self.queue_bytes(queue, range).await?;
        let records = bytes.chunks_exact(stride);
        Ok(records
            .map(|bytes| RecordValue::decode(record, bytes))
            .collect())
    }

    /// [`Steps::records`] as records of a Rust type.
    #[cfg(feature = "derive")]
    pub async fn typed_records<R: Record>(
        &self,
        node: &NodeId,
        step: u32,
        range: Range<u32>,
    ) -> Result<Vec<R>, GraphError> {
        let (index, queue) = self.queue(node, step)?;
        let runner = self.runner;
        let expected = runner.graph.input_record(index);
        check_type(node, expected, Some(&RecordType::of::<R>()))
            .map_err(|error| runner.input_error(error))?;
        let (bytes, stride) = self.queue_bytes(queue, range).await?;
        let records = bytes.chunks_exact(stride);
        let record = |bytes: &[u8]| bytemuck::pod_read_unaligned(&bytes[..size_of::<R>()]);
        Ok(records.map(record).collect())
    }

    /// The bytes of a range of records in a queue, and their stride in bytes.
    async fn queue_bytes(
        &self,
        queue: usize,
        range: Range<u32>,
    ) -> Result<(Vec<u8>, usize), GraphError> {
        let runner = self.runner;
        let end = range.end.min(self.count_of(queue));
        let planned = &runner.plan.queues()[queue];
        let stride = 4 * u64::from(planned.stride);
        let queue = runner.layout.records() + 4 * u64::from(planned.base);
        let first = queue + u64::from(range.start) * stride;
        let count = u64::from(end.saturating_sub(range.start));
        let bytes = self.arena_bytes(first, count * stride).await?;
        Ok((bytes, stride.max(4) as usize))
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
        place.ok_or_else(|| {
            let node = node.clone();
            runner.input_error(InputError::UnknownStage { node, step })
        })
    }

    fn control(&self) -> ControlWords<'_> {
        self.runner.control(&self.control)
    }

    async fn submit(&mut self, pieces: &[SweepPart]) -> Result<(), GraphError> {
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
        let words = words_of(&runner.read_back(&runner.buffers.plan, first, bytes).await?);
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
            Some(memory) => self.runner.read_back(&memory.buffer, offset, size).await,
            None => Ok(Vec::new()),
        }
    }
}

impl GraphRunner {
    /// Reads bytes of a buffer.
    pub(super) async fn read_back(
        &self,
        buffer: &wgpu::Buffer,
        offset: u64,
        size: u64,
    ) -> Result<Vec<u8>, GraphError> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let usage = wgpu::BufferUsages::MAP_READ;
        let staging = self.buffer("graph readback", size, usage);
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, offset, &staging, 0, size);
        self.queue.submit([encoder.finish()]);
        let bytes = readback::read(&self.device, &staging).await;
        bytes.map_err(|source| GraphError::Lost {
            graph: self.graph.name().to_owned(),
            place: "while a buffer was read back".to_owned(),
            source,
        })
    }
}

fn word(words: &[u32], row: Row, name: &str) -> u32 {
    words.get(member(row, name) as usize).copied().unwrap_or(0)
}

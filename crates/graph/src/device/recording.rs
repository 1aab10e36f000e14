//! Records whole runs into the user's own command encoders.
//!
//! In: a graph with enough memory for all records that its nodes may send, and an input. Out: a
//! [`Recording`], which encodes whole runs, any number of times, without waiting and without a
//! readback to the host. What always holds: every run starts from the same initial state, whatever
//! earlier runs did. What it does not do: more than one sweep, so it is rejected if the memory is
//! less than the plan recommends.

use std::collections::BTreeMap;
use std::fmt;

use async_lock::Mutex;
use wgpu::BufferUsages as Usage;

use super::arena::ArenaBuffer;
use super::bind_groups::{InputBindGroups, PassBindings, RuntimeBindGroups};
use super::encode::SweepPart;
use super::error::GraphError;
use super::initial_state::InitialState;
use super::input::{Input, InputSource};
use super::input_error::InputError;
use super::readback;
use super::runner::{GraphRunner, Report, owned, words_of};
use super::sweeps::Sweep;
use crate::layout::{LAUNCH, member};
use crate::wgpu_error::ErrorScopes;

/// A run that can be recorded into command encoders. It has its own plan buffer and record memory,
/// so it is independent of its runner's other runs.
pub struct Recording<'a> {
    runner: &'a GraphRunner,
    /// The launches and tables; other runs have another buffer.
    plan: wgpu::Buffer,
    memory: ArenaBuffer,
    groups: RuntimeBindGroups,
    source: Option<InputBindGroups>,
    initial_state: InitialState,
    pieces: Vec<SweepPart>,
    readback: Mutex<wgpu::Buffer>,
    /// The workgroup counts of the first stages, if they are known.
    first: Vec<[u32; 3]>,
}

impl fmt::Debug for Recording<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("runner", &self.runner)
            .finish_non_exhaustive()
    }
}

impl GraphRunner {
    /// Prepares a run for recording. Inputs on the device are read whenever the run executes; those
    /// of the host are copied.
    pub async fn recording(&self, input: &Input<'_>) -> Result<Recording<'_>, GraphError> {
        let (bytes, needed) = (self.plan.bytes(), self.plan.recommended_bytes());
        if bytes < needed {
            return Err(self.input_error(InputError::RecordingMemory {
                needed,
                planned: bytes,
            }));
        }
        let scopes = ErrorScopes::new(&self.device);
        let source = self.input_checker().check(input);
        let made = source.map(|source| self.prepare(input, &source));
        if let Some(error) = scopes.end().await {
            return Err(self.device_error(error));
        }
        let made = made.map_err(|error| self.input_error(error))?;
        let mut recording = made?;
        if recording.source.is_none() && self.plan.levels() > 0 && self.is_plain(0) {
            recording.decide_first_level().await?;
        }
        Ok(recording)
    }

    fn prepare(
        &self,
        input: &Input<'_>,
        source: &InputSource<'_>,
    ) -> Result<Recording<'_>, GraphError> {
        let plan = self.own_plan();
        let bytes = self.layout.records() + self.record_bytes();
        let memory = ArenaBuffer::new(&self.device, bytes);
        let mut control = vec![0; self.layout.control.words as usize];
        let mut records = &[][..];
        let source = match source {
            InputSource::Host(source) => {
                for (&queue, &count) in &source.tails {
                    control[self.layout.control.tails as usize + queue] = count;
                }
                records = &source.writes;
                None
            }
            InputSource::Device(source) => {
                self.check_room(input)?;
                self.write_sizes(&plan, source);
                let uniforms = self.uniforms(&source.uniforms);
                Some(self.input_bind_groups_of(source, [&plan, &memory.buffer, &uniforms]))
            }
        };
        let mut pieces = self.pieces(source.is_some(), Sweep::FIRST);
        pieces.insert(0, SweepPart::Begin);
        let launches = 4 * (self.plan.stages_at(0).len() * LAUNCH.len()) as u64;
        let size = self.layout.control_bytes().max(launches);
        Ok(Recording {
            runner: self,
            readback: Mutex::new(self.buffer("graph outcome", size, Usage::MAP_READ)),
            groups: self.groups_of(&plan, &memory),
            source,
            initial_state: InitialState::new(self, &control, records),
            pieces,
            first: Vec::new(),
            memory,
            plan,
        })
    }

    /// Checks that one sweep can take all inputs. The size of inputs on the device is known only
    /// there.
    fn check_room(&self, input: &Input<'_>) -> Result<(), GraphError> {
        let inputs = match input {
            Input::Cpu(records) => std::slice::from_ref(records),
            Input::MultiCpu(records) => records,
            Input::Gpu { .. } | Input::MultiGpu { .. } => return Ok(()),
        };
        let mut counts = BTreeMap::<_, u64>::new();
        for records in inputs {
            let node = self.graph.node(&records.node);
            let queue = node.and_then(|node| self.plan.entry_queue(node));
            *counts.entry(queue).or_default() += u64::from(records.count);
        }
        let room = |queue: usize| u64::from(self.plan.queues()[queue].capacity);
        let mut queues = counts.into_iter();
        if queues.all(|(queue, count)| queue.is_some_and(|queue| count <= room(queue))) {
            Ok(())
        } else {
            Err(self.input_error(InputError::RecordingTooLarge))
        }
    }

    /// A copy of the plan with all its constant parts. The other parts are written before they are
    /// read.
    fn own_plan(&self) -> wgpu::Buffer {
        let shared = &self.buffers.plan;
        let plan = self.buffer("graph plan", shared.size(), shared.usage());
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(shared, 0, &plan, 0, shared.size());
        self.queue.submit([encoder.finish()]);
        plan
    }

    /// Whether no grid of a level is dynamic.
    fn is_plain(&self, level: u32) -> bool {
        let mut stages = self.plan.stages_at(level).iter();
        !stages.any(|stage| self.graph.has_dynamic_grid(stage.stage.node))
    }
}

impl Recording<'_> {
    /// Decides the launches of the first level once, since they are the same in every run, and
    /// saves the state after that as the initial state.
    async fn decide_first_level(&mut self) -> Result<(), GraphError> {
        let runner = self.runner;
        let admission = self.pieces.remove(1);
        debug_assert_eq!(admission, SweepPart::Admission(0));
        let pieces = [SweepPart::Begin, admission];
        let words = self.read(&self.plan, runner.layout.launch(0), |encoder| {
            runner.encode(encoder, self.bindings(&[]), &pieces, None);
            self.initial_state.keep(encoder, &self.memory);
            // No run has been submitted yet; the outcome must say so.
            let control = runner.layout.control_bytes();
            encoder.clear_buffer(&self.memory.buffer, 0, Some(control));
        });
        let words = words.await?;
        let stages = runner.plan.stages_at(0).len();
        let launches = words.chunks_exact(LAUNCH.len()).take(stages);
        let sides = ["x", "y", "z"].map(|side| member(LAUNCH, side) as usize);
        self.first = launches.map(|row| sides.map(|side| row[side])).collect();
        Ok(())
    }

    /// Submits an encoder, waits, and reads back as many words of a buffer as fit.
    async fn read(
        &self,
        buffer: &wgpu::Buffer,
        first: u32,
        encode: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> Result<Vec<u32>, GraphError> {
        let runner = self.runner;
        let readback = self.readback.lock().await;
        let first = 4 * u64::from(first);
        let size = readback.size().min(buffer.size() - first);
        let scope = (runner.device).push_error_scope(wgpu::ErrorFilter::Validation);
        let mut encoder = runner.encoder();
        encode(&mut encoder);
        encoder.copy_buffer_to_buffer(buffer, first, &readback, 0, size);
        runner.queue.submit([encoder.finish()]);
        if let Some(error) = scope.pop().await {
            return Err(runner.device_error(error));
        }
        let bytes = readback::read(&runner.device, &readback).await;
        let bytes = bytes.map_err(|source| GraphError::Lost {
            graph: runner.graph.name().to_owned(),
            place: "before or in a recorded run".to_owned(),
            source,
        })?;
        Ok(words_of(&bytes))
    }

    fn bindings<'a>(&'a self, users: &'a [wgpu::BindGroup]) -> PassBindings<'a> {
        PassBindings {
            plan: &self.plan,
            groups: &self.groups,
            source: self.source.as_ref(),
            initial_state: Some(&self.initial_state),
            first: &self.first,
            users,
        }
    }

    /// Appends a whole run. The bind groups are those of the layouts, in order. Several runs may be
    /// in one encoder, and encoders may be submitted in any order, because each run restores the
    /// initial state.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        bind_groups: &[&wgpu::BindGroup],
    ) -> Result<(), GraphError> {
        self.runner.check_users(bind_groups.len())?;
        let bind_groups = owned(bind_groups);
        let bound = self.bindings(&bind_groups);
        self.runner.encode(encoder, bound, &self.pieces, None);
        Ok(())
    }

    /// Waits, and returns the report of the run that was submitted last; before any run, an empty
    /// report.
    pub async fn outcome(&self) -> Result<Report, GraphError> {
        let runner = self.runner;
        let words = self.read(&self.memory.buffer, 0, |_| ()).await?;
        let control = runner.control(&words);
        if let Some(faults) = control.faults(&runner.graph, &runner.plan) {
            return Err(GraphError::Faults(faults));
        }
        if control.has_work_left(&runner.plan) {
            return Err(GraphError::Unfinished {
                graph: runner.graph.name().to_owned(),
                left: control.left(&runner.plan),
            });
        }
        Ok(runner.report(&control))
    }
}

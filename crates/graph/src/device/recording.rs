//! Runs inside of the user's own submissions.
//!
//! In: a graph with room for all that its nodes may send, and an input. Out: a [`Recording`], which puts
//! whole runs into command encoders, as often as wanted, with nothing to wait for and nothing that
//! comes back to the host. What always holds: every run begins as the first one did, whatever became of
//! those before. What it does not do: more than one sweep, so it is refused where the memory is less than
//! the plan recommends.

use wgpu::BufferUsages as Usage;

use super::arena::Memory;
use super::beginning::Beginning;
use super::encode::Piece;
use super::error::GraphError;
use super::groups::{Bound, FeedGroups, Groups};
use super::input::{Feed, Input};
use super::layout::{LAUNCH, member};
use super::readback;
use super::runner::{GraphRunner, Report, words_of};
use super::scopes::Scopes;

/// A run that is ready to be put into command encoders. It has a memory of its own.
pub struct Recording<'a> {
    runner: &'a GraphRunner,
    memory: Memory,
    groups: Groups,
    feed: Option<FeedGroups>,
    beginning: Beginning,
    pieces: Vec<Piece>,
    /// The workgroups of the first stages, as far as they are known.
    first: Vec<[u32; 3]>,
}

impl GraphRunner {
    /// Makes a run ready to be recorded. Inputs of the device are read whenever the run is executed; those
    /// of the host are kept.
    pub async fn recording(&self, input: &Input<'_>) -> Result<Recording<'_>, GraphError> {
        let (bytes, needed) = (self.plan.bytes(), self.plan.recommended_bytes());
        if bytes < needed {
            return Err(self.input_error(format!(
                "a recorded run is one sweep, for which the plan wants {needed} bytes, but has {bytes}"
            )));
        }
        let scopes = Scopes::new(&self.device);
        let feed = self.feeder().feed(input);
        let made = feed.map(|feed| self.prepare(feed));
        if let Some(error) = scopes.end().await {
            self.forget_feed();
            return Err(self.device_error(&error));
        }
        let mut recording = made?;
        if recording.feed.is_none() && self.plan.levels() > 0 && self.is_plain(0) {
            recording.decide_first_level().await?;
        }
        Ok(recording)
    }

    fn prepare(&self, feed: Feed<'_>) -> Recording<'_> {
        let bytes = self.layout.records() + self.record_bytes();
        let memory = Memory::new(&self.device, bytes);
        let mut control = vec![0; self.layout.control_words as usize];
        let mut parts = Vec::new();
        let feed = match feed {
            Feed::Host(feed) => {
                for (queue, count) in feed.tails {
                    control[self.layout.tails as usize + queue] = count;
                }
                let records = feed.writes.iter();
                parts.extend(records.map(|(at, bytes)| Beginning::records(*at, bytes)));
                None
            }
            Feed::Device(feed) => {
                // Another run may have been fed otherwise since.
                parts.push(Beginning::plan(self.layout.input_sizes, feed.sizes.clone()));
                Some(self.feed_groups(&feed, &memory))
            }
        };
        parts.push(Beginning::control(control));
        let (launches, words) = self.first_launches();
        parts.push(Beginning::plan(launches, vec![0; words as usize]));
        let mut pieces = self.pieces(feed.is_some(), 0);
        pieces.insert(0, Piece::Begin);
        Recording {
            runner: self,
            groups: self.groups_of(&memory),
            feed,
            beginning: Beginning::new(self, &parts),
            pieces,
            first: Vec::new(),
            memory,
        }
    }

    /// Where the launches of the first level stand in the plan, and how many words they are.
    fn first_launches(&self) -> (u32, u32) {
        let first = self.layout.launch(0);
        (
            first,
            self.layout.launch(self.plan.stages_at(0).len()) - first,
        )
    }

    /// Whether no grid of a level is in records.
    fn is_plain(&self, level: u32) -> bool {
        let mut stages = self.plan.stages_at(level).iter();
        !stages.any(|stage| self.graph.has_dynamic_grid(stage.stage.node))
    }
}

impl Recording<'_> {
    /// What the first level launches is the same in every run, so it is decided once, and every run begins
    /// behind that.
    async fn decide_first_level(&mut self) -> Result<(), GraphError> {
        let runner = self.runner;
        let admission = self.pieces.remove(1);
        debug_assert_eq!(admission, Piece::Admission(0));
        let [from, size] = <[u32; 2]>::from(runner.first_launches()).map(|it| 4 * u64::from(it));
        let readback = runner.buffer("graph launches", size, Usage::MAP_READ);
        let mut encoder = runner.encoder();
        let pieces = [Piece::Begin, admission];
        runner.encode(&mut encoder, self.bound(&[]), &pieces, None);
        self.beginning.keep(&mut encoder, runner, &self.memory);
        encoder.copy_buffer_to_buffer(&runner.buffers.plan, from, &readback, 0, size);
        // No run has been submitted yet, and the outcome says so.
        encoder.clear_buffer(&self.memory.buffer, 0, Some(runner.layout.control_bytes()));
        runner.queue.submit([encoder.finish()]);
        let words = self.words(&readback).await?;
        let launches = words.chunks_exact(LAUNCH.len());
        let sides = ["x", "y", "z"].map(|side| member(LAUNCH, side) as usize);
        self.first = launches.map(|row| sides.map(|side| row[side])).collect();
        Ok(())
    }

    async fn words(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, GraphError> {
        let bytes = readback::read(&self.runner.device, buffer).await;
        let bytes = bytes.map_err(|message| GraphError::Lost {
            graph: self.runner.graph.name().to_owned(),
            place: "in a recorded run".to_owned(),
            message,
        })?;
        Ok(words_of(&bytes))
    }

    fn bound<'a>(&'a self, users: &'a [&'a wgpu::BindGroup]) -> Bound<'a> {
        Bound {
            groups: &self.groups,
            feed: self.feed.as_ref(),
            beginning: Some(&self.beginning),
            first: &self.first,
            users,
        }
    }

    /// Appends a whole run. The bind groups are those of the layouts, in order. Several runs may be in one
    /// encoder, and encoders may be submitted in any order: each run begins anew.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        bind_groups: &[&wgpu::BindGroup],
    ) -> Result<(), GraphError> {
        self.runner.check_users(bind_groups)?;
        let bound = self.bound(bind_groups);
        self.runner.encode(encoder, bound, &self.pieces, None);
        Ok(())
    }

    /// Waits, and says what the run did that was submitted last. Before any, it is a run of nothing.
    pub async fn outcome(&self) -> Result<Report, GraphError> {
        let runner = self.runner;
        let size = runner.layout.control_bytes();
        let readback = runner.buffer("graph outcome", size, Usage::MAP_READ);
        let mut encoder = runner.encoder();
        encoder.copy_buffer_to_buffer(&self.memory.buffer, 0, &readback, 0, size);
        runner.queue.submit([encoder.finish()]);
        let words = self.words(&readback).await?;
        let control = runner.control(&words);
        if let Some(faults) = control.faults(&runner.graph, &runner.plan) {
            return Err(GraphError::Faults(faults));
        }
        if control.is_held(&runner.plan) {
            return Err(GraphError::Unfinished {
                graph: runner.graph.name().to_owned(),
                left: control.left(&runner.plan),
            });
        }
        Ok(runner.report(&control))
    }
}

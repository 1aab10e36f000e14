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
        made
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
        let is_decided = feed.is_none() && self.plan.levels() > 0 && self.is_plain(0);
        if is_decided {
            let launches = self.layout.launch(0);
            let words = self.layout.launch(self.plan.stages_at(0).len()) - launches;
            parts.push(Beginning::plan(launches, vec![0; words as usize]));
        }
        let mut pieces = self.pieces(feed.is_some(), 0);
        pieces.insert(0, Piece::Begin);
        let mut recording = Recording {
            runner: self,
            groups: self.groups_of(&memory),
            feed,
            beginning: Beginning::new(self, &parts),
            pieces,
            memory,
        };
        if is_decided {
            recording.decide_first_level();
        }
        recording
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
    fn decide_first_level(&mut self) {
        let runner = self.runner;
        let admission = self.pieces.remove(1);
        debug_assert_eq!(admission, Piece::Admission(0));
        let mut encoder = runner.encoder();
        let pieces = [Piece::Begin, admission];
        runner.encode(&mut encoder, self.bound(&[]), &pieces, None);
        self.beginning.keep(&mut encoder, runner, &self.memory);
        // No run has been submitted yet, and the outcome says so.
        encoder.clear_buffer(&self.memory.buffer, 0, Some(runner.layout.control_bytes()));
        runner.queue.submit([encoder.finish()]);
    }

    fn bound<'a>(&'a self, users: &'a [&'a wgpu::BindGroup]) -> Bound<'a> {
        Bound {
            groups: &self.groups,
            feed: self.feed.as_ref(),
            beginning: Some(&self.beginning),
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
        let bytes = readback::read(&runner.device, &readback).await;
        let words = words_of(&bytes.map_err(|message| GraphError::Lost {
            graph: runner.graph.name().to_owned(),
            place: "in a recorded run".to_owned(),
            message,
        })?);
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

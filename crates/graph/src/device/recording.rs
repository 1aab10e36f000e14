//! Runs inside of the user's own submissions.
//!
//! In: a graph with room for all that its nodes may send, and an input. Out: a [`Recording`], which puts
//! whole runs into command encoders, as often as wanted, with nothing to wait for and nothing that
//! comes back to the host. What always holds: every run begins as the first one did, whatever became of
//! those before. What it does not do: more than one sweep, so it is refused where the memory is less than
//! the plan recommends.

use wgpu::BufferUsages as Usage;

use super::arena::Memory;
use super::encode::Piece;
use super::error::GraphError;
use super::groups::{Bound, FeedGroups, Groups};
use super::input::{Feed, Input};
use super::readback;
use super::runner::{GraphRunner, Report, bytes_of, words_of};
use super::scopes::Scopes;

/// A run that is ready to be put into command encoders. It has a memory of its own.
pub struct Recording<'a> {
    runner: &'a GraphRunner,
    memory: Memory,
    groups: Groups,
    feed: Option<FeedGroups>,
    pieces: Vec<Piece>,
    /// What every run begins with.
    image: wgpu::Buffer,
    copies: Vec<Copy>,
}

/// A part of what a run begins with, and the buffer it goes to.
struct Copy {
    target: wgpu::Buffer,
    from: u64,
    to: u64,
    size: u64,
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
        let (mut writes, mut sizes) = (Vec::new(), Vec::new());
        let feed = match feed {
            Feed::Host(feed) => {
                for (queue, count) in feed.tails {
                    control[self.layout.tails as usize + queue] = count;
                }
                writes = feed.writes;
                None
            }
            Feed::Device(feed) => {
                sizes = bytes_of(&feed.sizes);
                Some(self.feed_groups(&feed, &memory))
            }
        };
        let mut image = Vec::new();
        let mut copies = Vec::new();
        let mut copy = |target: &wgpu::Buffer, to: u64, bytes: &[u8]| {
            copies.push(Copy {
                target: target.clone(),
                from: image.len() as u64,
                to,
                size: bytes.len() as u64,
            });
            image.extend_from_slice(bytes);
        };
        for (at, bytes) in self.beginning(&control, &writes) {
            copy(&memory.buffer, at, &bytes);
        }
        // Another run may have been fed otherwise since.
        if !sizes.is_empty() {
            let at = 4 * u64::from(self.layout.input_sizes);
            copy(&self.buffers.plan, at, &sizes);
        }
        let is_decided = feed.is_none() && self.plan.levels() > 0 && self.is_plain(0);
        let launches = 4 * u64::from(self.layout.launch(0));
        if is_decided {
            let size = 4 * u64::from(self.layout.launch(self.stages_of(0))) - launches;
            copy(&self.buffers.plan, launches, &vec![0; size as usize]);
        }
        let stored = self.buffer("graph beginning", image.len() as u64, Usage::COPY_SRC);
        self.queue.write_buffer(&stored, 0, &image);
        let mut recording = Recording {
            runner: self,
            groups: self.groups_of(&memory),
            pieces: self.pieces(feed.is_some(), 0),
            feed,
            image: stored,
            copies,
            memory,
        };
        if is_decided {
            recording.decide_first_level();
        }
        recording
    }

    /// How many stages a level has.
    fn stages_of(&self, level: u32) -> usize {
        let stages = self.plan.stages().iter();
        stages.filter(|stage| stage.stage.level == level).count()
    }

    /// Whether no grid of a level is in records.
    fn is_plain(&self, level: u32) -> bool {
        let mut stages = self.plan.stages().iter();
        !stages.any(|stage| {
            stage.stage.level == level && self.graph.has_dynamic_grid(stage.stage.node)
        })
    }

    fn buffer(&self, label: &str, size: u64, usage: Usage) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage: usage | Usage::COPY_DST,
            mapped_at_creation: false,
        })
    }
}

impl Recording<'_> {
    /// What the first level launches is the same in every run, so it is decided once, and every run begins
    /// behind that.
    fn decide_first_level(&mut self) {
        let runner = self.runner;
        let admission = self.pieces.remove(0);
        debug_assert_eq!(admission, Piece::Admission(0));
        let mut encoder = runner.encoder();
        self.begin(&mut encoder);
        runner.encode(&mut encoder, self.bound(&[]), &[admission], None);
        for copy in &self.copies {
            let (from, to) = (&copy.target, &self.image);
            encoder.copy_buffer_to_buffer(from, copy.to, to, copy.from, copy.size);
        }
        // No run has been submitted yet, and the outcome says so.
        encoder.clear_buffer(&self.memory.buffer, 0, Some(runner.layout.control_bytes()));
        runner.queue.submit([encoder.finish()]);
    }

    fn begin(&self, encoder: &mut wgpu::CommandEncoder) {
        for copy in &self.copies {
            let (from, to) = (&self.image, &copy.target);
            encoder.copy_buffer_to_buffer(from, copy.from, to, copy.to, copy.size);
        }
    }

    fn bound<'a>(&'a self, users: &'a [&'a wgpu::BindGroup]) -> Bound<'a> {
        Bound {
            groups: &self.groups,
            feed: self.feed.as_ref(),
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
        self.begin(encoder);
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

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
        let stored = self.buffer("graph beginning", image.len() as u64, Usage::COPY_SRC);
        self.queue.write_buffer(&stored, 0, &image);
        Recording {
            runner: self,
            groups: self.groups_of(&memory),
            pieces: self.pieces(feed.is_some(), 0),
            feed,
            image: stored,
            copies,
            memory,
        }
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
    /// Appends a whole run. The bind groups are those of the layouts, in order. Several runs may be in one
    /// encoder, and encoders may be submitted in any order: each run begins anew.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        bind_groups: &[&wgpu::BindGroup],
    ) -> Result<(), GraphError> {
        self.runner.check_users(bind_groups)?;
        for copy in &self.copies {
            let (from, to) = (&self.image, &copy.target);
            encoder.copy_buffer_to_buffer(from, copy.from, to, copy.to, copy.size);
        }
        let bound = Bound {
            groups: &self.groups,
            feed: self.feed.as_ref(),
            users: bind_groups,
        };
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

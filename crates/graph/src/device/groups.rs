//! The runtime's buffers and bind groups.
//!
//! In: a plan, and for each run its input. Out: buffers that live as long as the runner, bind groups
//! for the arena of the moment, and those that feed a run.

use std::sync::PoisonError;

use super::arena::{Memory, Turn};
use super::beginning::Beginning;
use super::input::DeviceFeed;
use super::layout::{Layout, UNIFORM_SLOT};
use super::runner::{GraphRunner, bytes_of};
use crate::model::Graph;
use crate::plan::Plan;

/// What lives as long as the runner.
pub(super) struct Buffers {
    pub(super) plan: wgpu::Buffer,
    /// What of the plan never changes, if it fits a uniform buffer.
    pub(super) tables: Option<wgpu::Buffer>,
    pub(super) uniforms: wgpu::Buffer,
    pub(super) readback: wgpu::Buffer,
}

/// The runtime's bind groups for one arena.
#[derive(Clone)]
pub(super) struct Groups {
    generation: u64,
    pub(super) between: wgpu::BindGroup,
    pub(super) within: wgpu::BindGroup,
}

/// The bind groups that feed a run.
pub(super) struct FeedGroups {
    pub(super) between: wgpu::BindGroup,
    pub(super) within: wgpu::BindGroup,
    /// For each buffer of records; at least one.
    pub(super) inputs: Vec<wgpu::BindGroup>,
    pub(super) buffers: usize,
}

/// How the last run was fed.
pub(super) struct Fed {
    bytes: Vec<u8>,
    sizes: Vec<u32>,
    uniforms: wgpu::Buffer,
}

/// Everything that the passes of a run are encoded from.
pub(super) struct Run<'a> {
    pub(super) groups: Groups,
    /// Nothing, where the host has put all records into queues.
    pub(super) feed: Option<FeedGroups>,
    /// The words of `control` at the beginning.
    pub(super) control: Vec<u32>,
    pub(super) users: &'a [&'a wgpu::BindGroup],
    /// While it is held, no other graph touches the arena.
    pub(super) turn: Turn<'a>,
}

/// What the passes of a run are bound to.
#[derive(Clone, Copy)]
pub(super) struct Bound<'a> {
    pub(super) plan: &'a wgpu::Buffer,
    pub(super) groups: &'a Groups,
    pub(super) feed: Option<&'a FeedGroups>,
    /// What a recorded run begins with.
    pub(super) beginning: Option<&'a Beginning>,
    /// The workgroups of its first stages, as far as they are known.
    pub(super) first: &'a [[u32; 3]],
    pub(super) users: &'a [&'a wgpu::BindGroup],
}

impl Run<'_> {
    pub(super) fn bound<'a>(&'a self, runner: &'a GraphRunner) -> Bound<'a> {
        Bound {
            plan: &runner.buffers.plan,
            groups: &self.groups,
            feed: self.feed.as_ref(),
            beginning: None,
            first: &[],
            users: self.users,
        }
    }
}

impl Buffers {
    pub(super) fn new(device: &wgpu::Device, graph: &Graph, plan: &Plan, layout: &Layout) -> Self {
        use wgpu::BufferUsages as Usage;
        let slots = plan.stages().len() as u64 + u64::from(plan.levels()) + 1;
        let buffer = |what: &str, size: u64, usage: Usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&format!("{} {what}", graph.name())),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let storage = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
        Self {
            plan: buffer("plan", 4 * layout.plan_words, storage | Usage::INDIRECT),
            tables: layout.has_uniform_tables().then(|| {
                let size = layout.uniform_table_bytes();
                buffer("tables", size, Usage::UNIFORM | Usage::COPY_DST)
            }),
            uniforms: buffer(
                "uniforms",
                slots * UNIFORM_SLOT,
                Usage::UNIFORM | Usage::COPY_DST,
            ),
            readback: buffer(
                "readback",
                layout.control_bytes(),
                Usage::MAP_READ | Usage::COPY_DST,
            ),
        }
    }
}

impl GraphRunner {
    pub(super) fn groups(&self, memory: &Memory) -> Groups {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(groups) = groups.as_ref()
            && groups.generation == memory.generation
        {
            return groups.clone();
        }
        let plan = &self.buffers.plan;
        groups.insert(self.groups_of(plan, memory)).clone()
    }

    /// The bind groups of a plan and a memory, made anew.
    pub(super) fn groups_of(&self, plan: &wgpu::Buffer, memory: &Memory) -> Groups {
        let buffers = [plan, &memory.buffer, &self.buffers.uniforms];
        Groups {
            generation: memory.generation,
            between: self.between_group(buffers),
            within: self.within_group(buffers),
        }
    }

    /// For the passes between levels.
    fn between_group(&self, buffers: [&wgpu::Buffer; 3]) -> wgpu::BindGroup {
        let mut resources = self.runtime_resources(buffers).to_vec();
        let tables = self.buffers.tables.as_ref();
        resources.extend(tables.map(wgpu::Buffer::as_entire_binding));
        self.group(&self.pipelines.between, &resources)
    }

    /// For nodes, and for what else only reads the plan.
    fn within_group(&self, buffers: [&wgpu::Buffer; 3]) -> wgpu::BindGroup {
        let resources = self.runtime_resources(buffers);
        self.group(&self.pipelines.within, &resources)
    }

    /// Bytes of the binding of all records. No binding is empty.
    pub(super) fn record_bytes(&self) -> u64 {
        self.plan.arena_bytes().max(4)
    }

    fn runtime_resources<'a>(
        &self,
        [plan, memory, uniforms]: [&'a wgpu::Buffer; 3],
    ) -> [wgpu::BindingResource<'a>; 4] {
        let part = |buffer, offset, size| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset,
                size: wgpu::BufferSize::new(size),
            })
        };
        [
            plan.as_entire_binding(),
            part(memory, self.layout.records(), self.record_bytes()),
            part(memory, 0, self.layout.control_bytes()),
            part(uniforms, 0, UNIFORM_SLOT),
        ]
    }

    /// A buffer that can be written to.
    pub(super) fn buffer(&self, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    pub(super) fn group(
        &self,
        layout: &wgpu::BindGroupLayout,
        resources: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry {
                binding,
                resource: resource.clone(),
            })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.graph.name()),
            layout,
            entries: &entries,
        })
    }

    pub(super) fn feed_groups(&self, feed: &DeviceFeed, memory: &Memory) -> FeedGroups {
        let uniforms = self.feed_uniforms(feed);
        self.feed_groups_of(feed, [&self.buffers.plan, &memory.buffer, &uniforms])
    }

    /// The bind groups that feed a plan and a memory, by these uniforms.
    pub(super) fn feed_groups_of(
        &self,
        feed: &DeviceFeed,
        buffers: [&wgpu::Buffer; 3],
    ) -> FeedGroups {
        let input = |records: &wgpu::Buffer| {
            let descriptors = feed.descriptors.as_entire_binding();
            let layout = &self.pipelines.input;
            self.group(layout, &[descriptors, records.as_entire_binding()])
        };
        let inputs = match feed.records.as_slice() {
            // Empty records have no buffer.
            [] => vec![input(&feed.descriptors)],
            records => records.iter().map(input).collect(),
        };
        FeedGroups {
            between: self.between_group(buffers),
            within: self.within_group(buffers),
            inputs,
            buffers: feed.records.len(),
        }
    }

    /// What could not be made is made again.
    pub(super) fn forget_feed(&self) {
        *self.fed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The uniforms of the feeding passes. Most runs are fed as the one before was, and then nothing is
    /// made or written.
    fn feed_uniforms(&self, feed: &DeviceFeed) -> wgpu::Buffer {
        let mut last = self.fed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref()
            && (&last.bytes, &last.sizes) == (&feed.uniforms, &feed.sizes)
        {
            return last.uniforms.clone();
        }
        let uniforms = self.uniforms(&feed.uniforms);
        self.write_sizes(&self.buffers.plan, feed);
        let made = Fed {
            bytes: feed.uniforms.clone(),
            sizes: feed.sizes.clone(),
            uniforms,
        };
        last.insert(made).uniforms.clone()
    }

    pub(super) fn uniforms(&self, bytes: &[u8]) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::UNIFORM;
        let uniforms = self.buffer("graph feed", bytes.len() as u64, usage);
        self.queue.write_buffer(&uniforms, 0, bytes);
        uniforms
    }

    /// Tells a plan how large the buffers of an input are.
    pub(super) fn write_sizes(&self, plan: &wgpu::Buffer, feed: &DeviceFeed) {
        let sizes = 4 * u64::from(self.layout.input_sizes);
        self.queue.write_buffer(plan, sizes, &bytes_of(&feed.sizes));
    }
}

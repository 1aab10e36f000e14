//! Buffers and bind groups of the runtime.
//!
//! In: a plan, and for each run its input. Out: buffers that live as long as the runner, bind
//! groups for the current arena buffer, and bind groups of the input passes.

use std::sync::PoisonError;

use super::arena::{ArenaBuffer, ArenaGuard};
use super::initial_state::InitialState;
use super::input::DeviceInput;
use super::runner::{GraphRunner, bytes_of};
use crate::layout::{Layout, UNIFORM_SLOT};
use crate::model::Graph;
use crate::plan::Plan;

/// The buffers that live as long as the runner.
pub(super) struct Buffers {
    pub(super) plan: wgpu::Buffer,
    /// The constant part of the plan, if it fits a uniform buffer.
    pub(super) tables: Option<wgpu::Buffer>,
    pub(super) uniforms: wgpu::Buffer,
    pub(super) readback: wgpu::Buffer,
}

/// The runtime's bind groups for one arena buffer.
#[derive(Clone)]
pub(super) struct RuntimeBindGroups {
    generation: u64,
    pub(super) scheduler: wgpu::BindGroup,
    pub(super) node: wgpu::BindGroup,
}

/// The bind groups of the input passes of a run.
pub(super) struct InputBindGroups {
    pub(super) scheduler: wgpu::BindGroup,
    pub(super) node: wgpu::BindGroup,
    /// One for each buffer of records; at least one.
    pub(super) inputs: Vec<wgpu::BindGroup>,
    pub(super) buffers: usize,
}

/// The uniforms and buffer sizes of the last input, to skip unchanged writes.
pub(super) struct CachedInputUniforms {
    bytes: Vec<u8>,
    sizes: Vec<u32>,
    uniforms: wgpu::Buffer,
}

/// A run in progress: everything that its passes are encoded from.
pub(super) struct Run<'a> {
    pub(super) groups: RuntimeBindGroups,
    /// `None` if the host has written all records to queues.
    pub(super) source: Option<InputBindGroups>,
    /// The initial words of `control`.
    pub(super) control: Vec<u32>,
    /// The user's bind groups.
    pub(super) users: Vec<wgpu::BindGroup>,
    /// While it is held, no other graph uses the arena.
    pub(super) guard: ArenaGuard<'a>,
}

/// The buffers and bind groups of a run's passes.
#[derive(Clone, Copy)]
pub(super) struct PassBindings<'a> {
    pub(super) plan: &'a wgpu::Buffer,
    pub(super) groups: &'a RuntimeBindGroups,
    pub(super) source: Option<&'a InputBindGroups>,
    /// The initial state of a recorded run.
    pub(super) initial_state: Option<&'a InitialState>,
    /// The workgroup counts of the first stages, if they are known.
    pub(super) first: &'a [[u32; 3]],
    pub(super) users: &'a [wgpu::BindGroup],
}

impl Run<'_> {
    pub(super) fn bindings<'a>(&'a self, runner: &'a GraphRunner) -> PassBindings<'a> {
        PassBindings {
            plan: &runner.buffers.plan,
            groups: &self.groups,
            source: self.source.as_ref(),
            initial_state: None,
            first: &[],
            users: &self.users,
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
    pub(super) fn groups(&self, memory: &ArenaBuffer) -> RuntimeBindGroups {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(groups) = groups.as_ref()
            && groups.generation == memory.generation
        {
            return groups.clone();
        }
        let plan = &self.buffers.plan;
        groups.insert(self.groups_of(plan, memory)).clone()
    }

    /// Creates the bind groups for a plan and an arena buffer.
    pub(super) fn groups_of(&self, plan: &wgpu::Buffer, memory: &ArenaBuffer) -> RuntimeBindGroups {
        let buffers = [plan, &memory.buffer, &self.buffers.uniforms];
        RuntimeBindGroups {
            generation: memory.generation,
            scheduler: self.scheduler_group(buffers),
            node: self.node_group(buffers),
        }
    }

    /// The bind group of the admission passes, which write the plan.
    fn scheduler_group(&self, buffers: [&wgpu::Buffer; 3]) -> wgpu::BindGroup {
        let mut resources = self.runtime_resources(buffers).to_vec();
        let tables = self.buffers.tables.as_ref();
        resources.extend(tables.map(wgpu::Buffer::as_entire_binding));
        self.group(&self.pipelines.scheduler_layout, &resources)
    }

    /// The bind group of nodes and of other passes that only read the plan.
    fn node_group(&self, buffers: [&wgpu::Buffer; 3]) -> wgpu::BindGroup {
        let resources = self.runtime_resources(buffers);
        self.group(&self.pipelines.node_layout, &resources)
    }

    /// Size of the binding of all records in bytes. Bindings must not be empty.
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

    /// Creates a buffer that can be written by copies.
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

    pub(super) fn input_bind_groups(
        &self,
        source: &DeviceInput,
        memory: &ArenaBuffer,
    ) -> InputBindGroups {
        let uniforms = self.input_uniforms(source);
        self.input_bind_groups_of(source, [&self.buffers.plan, &memory.buffer, &uniforms])
    }

    /// The bind groups of the input passes for a plan and an arena buffer, with these uniforms.
    pub(super) fn input_bind_groups_of(
        &self,
        source: &DeviceInput,
        buffers: [&wgpu::Buffer; 3],
    ) -> InputBindGroups {
        let input = |records: &wgpu::Buffer| {
            let descriptors = source.descriptors.as_entire_binding();
            let layout = &self.pipelines.input_layout;
            self.group(layout, &[descriptors, records.as_entire_binding()])
        };
        let inputs = match source.records.as_slice() {
            // Empty records have no buffer.
            [] => vec![input(&source.descriptors)],
            records => records.iter().map(input).collect(),
        };
        InputBindGroups {
            scheduler: self.scheduler_group(buffers),
            node: self.node_group(buffers),
            inputs,
            buffers: source.records.len(),
        }
    }

    /// Invalidates the cached input uniforms after an error.
    pub(super) fn forget_input(&self) {
        *self
            .cached_input
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The uniforms of the input passes. Most runs have the same inputs as the previous one, and
    /// then nothing is created or written.
    fn input_uniforms(&self, source: &DeviceInput) -> wgpu::Buffer {
        let mut last = self
            .cached_input
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref()
            && (&last.bytes, &last.sizes) == (&source.uniforms, &source.sizes)
        {
            return last.uniforms.clone();
        }
        let uniforms = self.uniforms(&source.uniforms);
        self.write_sizes(&self.buffers.plan, source);
        let made = CachedInputUniforms {
            bytes: source.uniforms.clone(),
            sizes: source.sizes.clone(),
            uniforms,
        };
        last.insert(made).uniforms.clone()
    }

    pub(super) fn uniforms(&self, bytes: &[u8]) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::UNIFORM;
        let uniforms = self.buffer("graph source", bytes.len() as u64, usage);
        self.queue.write_buffer(&uniforms, 0, bytes);
        uniforms
    }

    /// Writes the sizes of an input's buffers to a plan.
    pub(super) fn write_sizes(&self, plan: &wgpu::Buffer, source: &DeviceInput) {
        let sizes = 4 * u64::from(self.layout.input_sizes);
        self.queue
            .write_buffer(plan, sizes, &bytes_of(&source.sizes));
    }
}

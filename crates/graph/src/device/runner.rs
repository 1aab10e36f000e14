//! A graph on a device.
//!
//! In: a [`Graph`], a device, bind groups of the user's and inputs. Out: the user's resources as the
//! nodes left them, and a [`Report`]. One sweep runs every level once, in one submission; sweeps follow
//! until nothing is left. What always holds: every record is consumed once by each of its readers.

use std::sync::{Arc, Mutex, PoisonError};

use super::arena::{Arena, Memory, Turn};
use super::error::GraphError;
use super::feedback::{Control, StageCounts};
use super::input::{Feed, Feeder, Input};
use super::layout::{Layout, SCAN_GROUPS, UNIFORM_SLOT};
use super::pipelines::Pipelines;
use super::readback;
use super::tables::Tables;
use crate::code::{CodeOptions, GROUP, NodeCode};
use crate::model::Graph;
use crate::plan::{Plan, PlanOptions};

/// The most sweeps of one submission.
const MAX_SWEEPS: u32 = 16;

/// Constants of each node, in rows.
#[derive(Clone, Debug, Default)]
pub struct LocalArguments {
    /// The table. Node code reads it word by word.
    pub bytes: Vec<u8>,
    /// Bytes from one row to the next, a multiple of four.
    pub stride: u32,
}

/// How a graph is put on a device.
#[derive(Clone, Debug)]
pub struct GraphOptions<'a> {
    /// How much memory it takes.
    pub plan: PlanOptions,
    /// Every misuse is a named fault; costs some speed.
    pub checked: bool,
    /// What nodes send is counted; costs some speed.
    pub counted: bool,
    /// Not zero: the records of a workgroup of a coalescing node are any number up to its most, by
    /// this seed.
    pub shuffle: u32,
    /// Layouts of the user's bind groups, from group 0 on.
    pub bind_group_layouts: &'a [&'a wgpu::BindGroupLayout],
    /// Constants of nodes.
    pub local_arguments: LocalArguments,
    /// The most inputs of a run.
    pub max_inputs: u32,
}

impl Default for GraphOptions<'_> {
    fn default() -> Self {
        Self {
            plan: PlanOptions::default(),
            checked: false,
            counted: false,
            shuffle: 0,
            bind_group_layouts: &[],
            local_arguments: LocalArguments::default(),
            max_inputs: 256,
        }
    }
}

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How often all levels ran.
    pub sweeps: u32,
    /// Counts by stage, in the order of [`Plan::stages`].
    pub stages: Vec<StageCounts>,
}

/// A graph on a device, ready to run.
pub struct GraphRunner {
    pub(super) device: wgpu::Device,
    queue: wgpu::Queue,
    pub(super) graph: Graph,
    pub(super) plan: Plan,
    pub(super) layout: Layout,
    pipelines: Pipelines,
    pub(super) buffers: Buffers,
    pub(super) arena: Arc<Arena>,
    groups: Mutex<Option<Groups>>,
    max_inputs: u32,
}

pub(super) struct Buffers {
    plan: wgpu::Buffer,
    pub(super) control: wgpu::Buffer,
    uniforms: wgpu::Buffer,
    readback: wgpu::Buffer,
}

/// The runtime's bind groups for one arena.
#[derive(Clone)]
pub(super) struct Groups {
    generation: u64,
    between: wgpu::BindGroup,
    within: wgpu::BindGroup,
}

/// The bind groups that feed a run.
pub(super) struct FeedGroups {
    between: wgpu::BindGroup,
    within: wgpu::BindGroup,
    /// For each buffer of records; at least one.
    inputs: Vec<wgpu::BindGroup>,
    buffers: usize,
}

/// Everything that the passes of a run are encoded from.
pub(super) struct Run<'a> {
    pub(super) groups: Groups,
    pub(super) feed: FeedGroups,
    pub(super) users: &'a [&'a wgpu::BindGroup],
    pub(super) turn: Turn<'a>,
}

impl GraphRunner {
    /// Plans a graph, compiles its nodes and makes its buffers.
    pub async fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        graph: &Graph,
        options: GraphOptions<'_>,
    ) -> Result<Self, GraphError> {
        let limits = device.limits();
        let most = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        let plan_options = PlanOptions {
            memory: options.plan.memory.min(most),
            ..options.plan
        };
        let plan = Plan::new(graph, &plan_options)?;
        let local = &options.local_arguments;
        let local_words = check_local(graph, local)?;
        let layout = Layout::new(graph, &plan, options.max_inputs, local_words);
        check_size(graph, "the plan", 4 * layout.plan_words, most)?;
        let code = CodeOptions {
            checked: options.checked,
            counted: options.counted,
        };
        let code = (0..graph.nodes().len()).map(|node| NodeCode::new(graph, node, code));
        let code = code.collect::<Result<Vec<_>, _>>()?;
        let users = options.bind_group_layouts;
        if users.len() > GROUP as usize {
            return Err(GraphError::Input {
                graph: graph.name().to_owned(),
                message: format!("{} bind groups are more than {GROUP}", users.len()),
            });
        }
        let pipelines = Pipelines::new(device, graph, &layout, &code, users).await?;
        let buffers = Buffers::new(device, graph, &plan, &layout);
        let tables = Tables {
            graph,
            plan: &plan,
            layout: &layout,
        };
        let words = tables.plan_words();
        queue.write_buffer(&buffers.plan, 0, &bytes_of(&words));
        let uniforms = tables.uniforms(local.stride / 4, local_words, options.shuffle);
        queue.write_buffer(&buffers.uniforms, 0, &uniforms);
        let mut table = local.bytes.clone();
        table.resize(4 * local_words as usize, 0);
        queue.write_buffer(&buffers.plan, 4 * u64::from(layout.local_arguments), &table);
        Ok(Self {
            device: device.clone(),
            queue: queue.clone(),
            graph: graph.clone(),
            arena: Arena::of(device),
            groups: Mutex::new(None),
            max_inputs: options.max_inputs,
            plan,
            layout,
            pipelines,
            buffers,
        })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The plan by which it runs.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs the graph until nothing is left. The bind groups are those of the layouts, in order.
    pub async fn run(
        &self,
        input: &Input<'_>,
        bind_groups: &[&wgpu::BindGroup],
    ) -> Result<Report, GraphError> {
        let run = self.begin(input, bind_groups).await?;
        let mut sweeps = 1;
        loop {
            let mut encoder = self.encoder();
            for _ in 0..sweeps {
                self.encode_sweep(&mut encoder, &run);
            }
            let words = self.finish(encoder).await?;
            let control = self.control(&words);
            if let Some(faults) = control.faults(&self.graph, &self.plan) {
                return Err(GraphError::Faults(faults));
            }
            if !control.is_held() {
                return Ok(self.report(&control));
            }
            if !control.made_progress() {
                let message = format!("graph `{}` does not get on", self.graph.name());
                return Err(GraphError::Internal(message));
            }
            sweeps = MAX_SWEEPS.min(2 * sweeps);
        }
    }

    /// Takes the arena, clears all counters and makes the input known.
    pub(super) async fn begin<'a>(
        &'a self,
        input: &Input<'_>,
        users: &'a [&'a wgpu::BindGroup],
    ) -> Result<Run<'a>, GraphError> {
        let feeder = Feeder {
            device: &self.device,
            queue: &self.queue,
            graph: &self.graph,
            max_inputs: self.max_inputs,
        };
        let feed = feeder.feed(input)?;
        let turn = self.arena.turn(self.plan.bytes()).await;
        let Some(memory) = turn.as_ref() else {
            return Err(GraphError::Internal("no memory for records".to_owned()));
        };
        let groups = self.groups(memory);
        let sizes = 4 * u64::from(self.layout.input_sizes);
        self.queue
            .write_buffer(&self.buffers.plan, sizes, &bytes_of(&feed.sizes));
        let feed = self.feed_groups(&feed, memory);
        let mut encoder = self.encoder();
        encoder.clear_buffer(&self.buffers.control, 0, None);
        self.queue.submit([encoder.finish()]);
        Ok(Run {
            groups,
            feed,
            users,
            turn,
        })
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        let label = Some(self.graph.name());
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label })
    }

    fn groups(&self, memory: &Memory) -> Groups {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(groups) = groups.as_ref() {
            if groups.generation == memory.generation {
                return groups.clone();
            }
        }
        let group = |layout| self.runtime_group(layout, memory, &self.buffers.uniforms);
        let made = Groups {
            generation: memory.generation,
            between: group(&self.pipelines.between),
            within: group(&self.pipelines.within),
        };
        groups.insert(made).clone()
    }

    fn runtime_group(
        &self,
        layout: &wgpu::BindGroupLayout,
        memory: &Memory,
        uniforms: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let uniform = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: uniforms,
            offset: 0,
            size: wgpu::BufferSize::new(UNIFORM_SLOT),
        });
        let arena = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &memory.buffer,
            offset: 0,
            size: wgpu::BufferSize::new(self.plan.bytes().max(4)),
        });
        self.group(
            layout,
            [
                self.buffers.plan.as_entire_binding(),
                arena,
                self.buffers.control.as_entire_binding(),
                uniform,
            ],
        )
    }

    fn group<const N: usize>(
        &self,
        layout: &wgpu::BindGroupLayout,
        resources: [wgpu::BindingResource<'_>; N],
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.graph.name()),
            layout,
            entries: &entries,
        })
    }

    fn feed_groups(&self, feed: &Feed, memory: &Memory) -> FeedGroups {
        let uniforms = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("graph feed"),
            size: feed.uniforms.len() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&uniforms, 0, &feed.uniforms);
        let input = |records: &wgpu::Buffer| {
            let descriptors = feed.descriptors.as_entire_binding();
            let layout = &self.pipelines.input;
            self.group(layout, [descriptors, records.as_entire_binding()])
        };
        let inputs = match feed.records.as_slice() {
            // Empty records have no buffer.
            [] => vec![input(&feed.descriptors)],
            records => records.iter().map(input).collect(),
        };
        FeedGroups {
            between: self.runtime_group(&self.pipelines.between, memory, &uniforms),
            within: self.runtime_group(&self.pipelines.within, memory, &uniforms),
            inputs,
            buffers: feed.records.len(),
        }
    }

    fn encode_sweep(&self, encoder: &mut wgpu::CommandEncoder, run: &Run<'_>) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(self.graph.name()),
            timestamp_writes: None,
        });
        self.encode_feed(&mut pass, run);
        for level in 0..self.plan.levels() {
            pass.push_debug_group(&format!("level {level}"));
            self.encode_level(&mut pass, run, level);
            pass.pop_debug_group();
        }
        self.encode_settle(&mut pass, run);
    }

    pub(super) fn encode_feed(&self, pass: &mut wgpu::ComputePass<'_>, run: &Run<'_>) {
        let feed = &run.feed;
        pass.set_pipeline(&self.pipelines.feed_admit);
        pass.set_bind_group(0, &feed.between, &[0]);
        pass.set_bind_group(1, &feed.inputs[0], &[]);
        pass.dispatch_workgroups(1, 1, 1);
        for (buffer, input) in feed.inputs[..feed.buffers].iter().enumerate() {
            pass.set_pipeline(&self.pipelines.feed_copy);
            pass.set_bind_group(0, &feed.within, &[Tables::stage_slot(buffer)]);
            pass.set_bind_group(1, input, &[]);
            let arguments = 4 * u64::from(self.layout.feed_launch);
            pass.dispatch_workgroups_indirect(&self.buffers.plan, arguments);
        }
    }

    pub(super) fn encode_level(&self, pass: &mut wgpu::ComputePass<'_>, run: &Run<'_>, level: u32) {
        self.encode_admission(pass, run, level);
        let stages = self.plan.stages();
        for (index, stage) in stages.iter().enumerate() {
            if stage.stage.level == level {
                self.encode_stage(pass, run, index, stage.stage.node);
            }
        }
    }

    fn encode_admission(&self, pass: &mut wgpu::ComputePass<'_>, run: &Run<'_>, level: u32) {
        let stages = self
            .plan
            .stages()
            .iter()
            .filter(|stage| stage.stage.level == level);
        let dynamic = stages
            .filter(|stage| self.graph.has_dynamic_grid(stage.stage.node))
            .count();
        let slot = Tables::stage_slot(self.plan.stages().len() + level as usize);
        pass.set_bind_group(0, &run.groups.between, &[slot]);
        if dynamic > 0 {
            pass.set_pipeline(&self.pipelines.scan_records);
            pass.dispatch_workgroups(SCAN_GROUPS, dynamic as u32, 1);
            pass.set_pipeline(&self.pipelines.scan_blocks);
            pass.dispatch_workgroups(dynamic as u32, 1, 1);
        }
        pass.set_pipeline(&self.pipelines.admit);
        pass.dispatch_workgroups(1, 1, 1);
    }

    fn encode_stage(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        run: &Run<'_>,
        stage: usize,
        node: usize,
    ) {
        pass.insert_debug_marker(&self.graph.nodes()[node].id.to_string());
        pass.set_pipeline(&self.pipelines.nodes[node]);
        for (index, group) in (0..).zip(run.users) {
            pass.set_bind_group(index, *group, &[]);
        }
        pass.set_bind_group(GROUP, &run.groups.within, &[Tables::stage_slot(stage)]);
        let arguments = 4 * u64::from(self.layout.launch(stage));
        pass.dispatch_workgroups_indirect(&self.buffers.plan, arguments);
    }

    pub(super) fn encode_settle(&self, pass: &mut wgpu::ComputePass<'_>, run: &Run<'_>) {
        let after_last = self.plan.stages().len() + self.plan.levels() as usize;
        pass.set_bind_group(0, &run.groups.between, &[Tables::stage_slot(after_last)]);
        pass.set_pipeline(&self.pipelines.settle);
        pass.dispatch_workgroups(1, 1, 1);
    }

    /// Submits, waits, and brings the words of `control` back.
    pub(super) async fn finish(
        &self,
        mut encoder: wgpu::CommandEncoder,
    ) -> Result<Vec<u32>, GraphError> {
        let Buffers {
            control, readback, ..
        } = &self.buffers;
        encoder.copy_buffer_to_buffer(control, 0, readback, 0, control.size());
        self.queue.submit([encoder.finish()]);
        let bytes = readback::read(&self.device, readback).await;
        let bytes = bytes.map_err(|message| GraphError::Lost {
            graph: self.graph.name().to_owned(),
            place: "in a sweep".to_owned(),
            message,
        })?;
        Ok(words_of(&bytes))
    }

    pub(super) fn control<'a>(&'a self, words: &'a [u32]) -> Control<'a> {
        let layout = &self.layout;
        Control { words, layout }
    }

    fn report(&self, control: &Control<'_>) -> Report {
        let stages = 0..self.plan.stages().len();
        Report {
            sweeps: control.sweeps(),
            stages: stages.map(|stage| control.counts(stage)).collect(),
        }
    }
}

impl Buffers {
    fn new(device: &wgpu::Device, graph: &Graph, plan: &Plan, layout: &Layout) -> Self {
        use wgpu::BufferUsages as Usage;
        let slots = plan.stages().len() as u64 + u64::from(plan.levels()) + 1;
        let control = 4 * u64::from(layout.control_words);
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
            control: buffer("control", control, storage),
            uniforms: buffer(
                "uniforms",
                slots * UNIFORM_SLOT,
                Usage::UNIFORM | Usage::COPY_DST,
            ),
            readback: buffer("readback", control, Usage::MAP_READ | Usage::COPY_DST),
        }
    }
}

fn check_local(graph: &Graph, local: &LocalArguments) -> Result<u32, GraphError> {
    let error = |message: String| GraphError::Input {
        graph: graph.name().to_owned(),
        message,
    };
    if local.stride % 4 != 0 {
        let stride = local.stride;
        return Err(error(format!(
            "a stride of {stride} bytes between rows of local arguments is no multiple of four"
        )));
    }
    let words = local.bytes.len().div_ceil(4);
    u32::try_from(words).map_err(|_| error("the local arguments are too large".to_owned()))
}

fn check_size(graph: &Graph, what: &'static str, needed: u64, most: u64) -> Result<(), GraphError> {
    if needed <= most {
        return Ok(());
    }
    Err(GraphError::DeviceLimit {
        graph: graph.name().to_owned(),
        what,
        needed,
        most,
    })
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

//! The runner: a graph on a device.
//!
//! In: a [`Graph`], a device, the user's bind groups and inputs. Out: the user's resources as the
//! nodes wrote them, and a [`Report`]. What always holds: every record is consumed once by each of
//! its readers.

use std::borrow::Cow;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use super::arena::{ArenaBuffer, SharedArena};
use super::bind_groups::{Buffers, CachedInputUniforms, Run, RuntimeBindGroups};
use super::error::GraphError;
use super::feedback::{ControlWords, StageCounts};
use super::input::{Input, InputChecker, InputSource};
use super::input_error::InputError;
use super::options::{Breadcrumbs, Checks, GraphOptions, OutputCounts};
use super::pipelines::Pipelines;
use super::tables::Tables;
use crate::host_data::LocalArguments;
use crate::layout::{Layout, LayoutOptions, MAX_LAUNCHES, MAX_SIDE, RUNTIME_GROUP};
use crate::model::Graph;
use crate::plan::{Plan, PlanOptions};
use crate::shader::{NodeShader, ShaderOptions};
use crate::wgpu_error::ErrorScopes;

/// The maximum number of initial bytes of the memory that are written at once.
const MAX_TOGETHER: u64 = 1 << 17;
/// The maximum number of whole sweeps in one submission.
const MAX_SWEEPS: u32 = 16;

/// The report of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The number of sweeps that launched anything. The first runs all levels; each other resumes
    /// at the deepest level with work left.
    pub sweeps: u32,
    /// The counts of stages, in the order of [`Plan::stages`].
    pub stages: Vec<StageCounts>,
}

/// A graph on a device, ready to run.
pub struct GraphRunner {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) graph: Graph,
    pub(super) plan: Plan,
    pub(super) layout: Layout,
    pub(super) pipelines: Pipelines,
    pub(super) buffers: Buffers,
    arena: SharedArena,
    pub(super) groups: Mutex<Option<RuntimeBindGroups>>,
    pub(super) cached_input: Mutex<Option<CachedInputUniforms>>,
    /// The maximum number of whole sweeps in a submission.
    pub(super) max_sweeps: u32,
    max_inputs: u32,
    users: usize,
    pub(super) breadcrumbs: Breadcrumbs,
    pub(super) time_limit: Option<Duration>,
}

impl fmt::Debug for GraphRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphRunner")
            .field("graph", &self.graph)
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}

impl GraphRunner {
    /// Plans a graph, compiles its nodes and creates its buffers. Its records have their own arena;
    /// graphs that run alternately should share one, see [`SharedArena::load`].
    pub async fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        graph: &Graph,
        options: GraphOptions<'_>,
    ) -> Result<Self, GraphError> {
        Self::in_arena(SharedArena::new(device, queue), graph, options).await
    }

    /// Plans and compiles a graph, with its records in an arena.
    pub(super) async fn in_arena(
        arena: SharedArena,
        graph: &Graph,
        options: GraphOptions<'_>,
    ) -> Result<Self, GraphError> {
        // A plan that is not possible is reported before errors in the code.
        let planned = PlannedGraph::new(&arena.device, graph, &options)?;
        let shaders = node_shaders(graph, &options)?;
        Self::with_shaders(arena, planned, &shaders, options).await
    }

    pub(super) async fn with_shaders(
        arena: SharedArena,
        planned: PlannedGraph<'_>,
        shaders: &[NodeShader],
        options: GraphOptions<'_>,
    ) -> Result<Self, GraphError> {
        let (device, queue) = (&arena.device, &arena.queue);
        let PlannedGraph {
            graph,
            plan,
            layout,
            local_words,
        } = planned;
        let users = options.bind_group_layouts;
        let pipelines = Pipelines::new(device, graph, &layout, shaders, users).await?;
        let scopes = ErrorScopes::new(device);
        let buffers = Buffers::new(device, graph, &plan, &layout);
        let tables = Tables {
            graph,
            plan: &plan,
            layout: &layout,
        };
        write_constants(queue, &buffers, &tables, &options, local_words);
        if let Some(error) = scopes.end().await {
            return Err(device_error(graph, error));
        }
        // Options with short dispatches imply short submissions.
        let is_short =
            options.max_launches < MAX_LAUNCHES || options.breadcrumbs == Breadcrumbs::PerNode;
        Ok(Self {
            device: device.clone(),
            queue: queue.clone(),
            arena,
            graph: graph.clone(),
            groups: Mutex::new(None),
            cached_input: Mutex::new(None),
            max_sweeps: if is_short { 1 } else { MAX_SWEEPS },
            max_inputs: options.max_inputs,
            users: users.len(),
            breadcrumbs: options.breadcrumbs,
            time_limit: options.time_limit,
            plan,
            layout,
            pipelines,
            buffers,
        })
    }

    /// The arena of its records, to share with other graphs.
    pub fn memory(&self) -> &SharedArena {
        &self.arena
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The memory plan of the graph.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The name and the text of every shader module.
    pub fn shaders(&self) -> &[(String, String)] {
        &self.pipelines.texts
    }

    /// Locks the arena, clears all counters and prepares the input.
    pub(super) async fn begin<'a>(
        &'a self,
        input: &Input<'_>,
        users: Vec<wgpu::BindGroup>,
    ) -> Result<Run<'a>, GraphError> {
        self.check_users(users.len())?;
        let checker = self.input_checker();
        let mut guard = self.arena.lock(self.graph.name()).await?;
        let scopes = ErrorScopes::new(&self.device);
        let source = checker.check(input);
        let needed = self.layout.records() + self.record_bytes();
        let memory = self.arena.grow(&mut guard, needed);
        let groups = self.groups(memory);
        let mut control = vec![0; self.layout.control.words as usize];
        let mut records = Vec::new();
        let source = source.map(|source| match source {
            InputSource::Host(source) => {
                for (queue, count) in source.tails {
                    control[self.layout.control.tails as usize + queue] = count;
                }
                records = source.writes;
                None
            }
            InputSource::Device(source) => Some(self.input_bind_groups(&source, memory)),
        });
        self.write_memory(memory, &control, &records);
        if let Some(error) = scopes.end().await {
            self.arena.release(&mut guard);
            self.forget_input();
            return Err(self.device_error(error));
        }
        let source = source.map_err(|error| self.input_error(error))?;
        Ok(Run {
            groups,
            source,
            control,
            users,
            guard,
        })
    }

    pub(super) fn input_checker(&self) -> InputChecker<'_> {
        InputChecker {
            device: &self.device,
            queue: &self.queue,
            graph: &self.graph,
            plan: &self.plan,
            max_inputs: self.max_inputs,
        }
    }

    /// Checks the number of the user's bind groups.
    pub(super) fn check_users(&self, given: usize) -> Result<(), GraphError> {
        if given == self.users {
            return Ok(());
        }
        Err(self.input_error(InputError::BindGroupCount {
            given,
            layouts: self.users,
        }))
    }

    /// Writes the initial words of `control` and records at their offsets, in order. The write is
    /// part of the next submission, before its passes.
    fn write_memory(
        &self,
        memory: &ArenaBuffer,
        control: &[u32],
        records: &[(u64, Cow<'_, [u8]>)],
    ) {
        let mut together = bytes_of(control);
        for (offset, bytes) in records {
            let at = self.layout.records() + offset;
            let end = at + bytes.len() as u64;
            // One write is faster than two, and the bytes in between have no meaning yet.
            if end <= MAX_TOGETHER {
                together.resize(at as usize, 0);
                together.extend_from_slice(bytes);
            } else {
                self.queue.write_buffer(&memory.buffer, at, bytes);
            }
        }
        self.queue.write_buffer(&memory.buffer, 0, &together);
    }

    pub(super) fn input_error(&self, error: InputError) -> GraphError {
        input_error(&self.graph, error)
    }

    pub(super) fn device_error(&self, error: wgpu::Error) -> GraphError {
        device_error(&self.graph, error)
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        let label = Some(self.graph.name());
        (self.device).create_command_encoder(&wgpu::CommandEncoderDescriptor { label })
    }

    pub(super) fn control<'a>(&'a self, words: &'a [u32]) -> ControlWords<'a> {
        let layout = &self.layout;
        ControlWords { words, layout }
    }

    pub(super) fn report(&self, control: &ControlWords<'_>) -> Report {
        let stages = 0..self.plan.stages().len();
        Report {
            // A run without work counts as one sweep.
            sweeps: control.sweeps().max(1),
            stages: stages.map(|stage| control.counts(stage)).collect(),
        }
    }
}

fn device_error(graph: &Graph, error: wgpu::Error) -> GraphError {
    GraphError::Device {
        graph: graph.name().to_owned(),
        source: Box::new(error),
    }
}

fn input_error(graph: &Graph, source: InputError) -> GraphError {
    GraphError::Input {
        graph: graph.name().to_owned(),
        source: Box::new(source),
    }
}

fn check_device(graph: &Graph, device: &wgpu::Device) -> Result<(), GraphError> {
    let max = device.limits().max_compute_workgroups_per_dimension;
    if max >= MAX_SIDE {
        return Ok(());
    }
    Err(GraphError::WorkgroupLimit {
        graph: graph.name().to_owned(),
        max,
        needed: MAX_SIDE,
    })
}

/// A graph that a device can run, with its plan.
pub(super) struct PlannedGraph<'a> {
    graph: &'a Graph,
    plan: Plan,
    layout: Layout,
    /// The number of words of local arguments.
    local_words: u32,
}

impl<'a> PlannedGraph<'a> {
    pub(super) fn new(
        device: &wgpu::Device,
        graph: &'a Graph,
        options: &GraphOptions<'_>,
    ) -> Result<Self, GraphError> {
        check_device(graph, device)?;
        let layouts = options.bind_group_layouts.len();
        if layouts > RUNTIME_GROUP as usize {
            return Err(input_error(graph, InputError::TooManyLayouts(layouts)));
        }
        let local_words = check_local(graph, &options.local_arguments);
        let local_words = local_words.map_err(|error| input_error(graph, error))?;
        let (plan, layout) = plan_for(graph, device, options, local_words)?;
        Ok(Self {
            graph,
            plan,
            layout,
            local_words,
        })
    }
}

/// The shader modules of all nodes.
pub(super) fn node_shaders(
    graph: &Graph,
    options: &GraphOptions<'_>,
) -> Result<Vec<NodeShader>, GraphError> {
    let shader = ShaderOptions {
        checked: options.checks == Checks::All,
        counted: options.output_counts == OutputCounts::On,
    };
    let nodes = 0..graph.nodes().len();
    let shaders = nodes.map(|node| NodeShader::new(graph, node, shader));
    Ok(shaders.collect::<Result<_, _>>()?)
}

/// A plan whose buffers fit the bindings of a device, and its layout.
fn plan_for(
    graph: &Graph,
    device: &wgpu::Device,
    options: &GraphOptions<'_>,
    local_words: u32,
) -> Result<(Plan, Layout), GraphError> {
    let limits = device.limits();
    let max = limits
        .max_storage_buffer_binding_size
        .min(limits.max_buffer_size);
    let control = Layout::max_control_bytes(graph, options.max_inputs);
    let layout_options = LayoutOptions {
        max_inputs: options.max_inputs,
        max_launches: options.max_launches,
        local_words,
        max_uniform_bytes: limits.max_uniform_buffer_binding_size,
        max_scan_groups: match device.adapter_info().device_type {
            wgpu::DeviceType::Cpu => 16,
            _ => 1024,
        },
    };
    let mut plan_options = PlanOptions {
        memory: options
            .plan
            .memory
            .min(max)
            .min(limits.max_buffer_size.saturating_sub(control)),
        ..options.plan
    };
    loop {
        let plan = Plan::new(graph, &plan_options)?;
        let layout = Layout::new(graph, &plan, &layout_options);
        let needed = 4 * layout.plan_words;
        // Tables and block sums come on top of the planned memory, and must fit a binding too.
        let less = plan_options.memory / 8 * 7;
        if needed <= max || less < plan.minimum_bytes() {
            check_size(graph, "the plan", needed, max)?;
            return Ok((plan, layout));
        }
        plan_options.memory = less;
    }
}

/// Writes what no run changes: tables, uniforms and local arguments.
fn write_constants(
    queue: &wgpu::Queue,
    buffers: &Buffers,
    tables: &Tables<'_>,
    options: &GraphOptions<'_>,
    local_words: u32,
) {
    let layout = tables.layout;
    let words = tables.plan_words();
    queue.write_buffer(&buffers.plan, 0, &bytes_of(&words));
    if let Some(tables) = &buffers.tables {
        let words = bytes_of(&words[..layout.table_words() as usize]);
        queue.write_buffer(tables, 0, &words);
    }
    let local = &options.local_arguments;
    let uniforms = tables.uniforms(local.stride / 4, local_words, options.coalescing.seed());
    queue.write_buffer(&buffers.uniforms, 0, &uniforms);
    let mut table = local.bytes.clone();
    table.resize(4 * local_words as usize, 0);
    queue.write_buffer(&buffers.plan, 4 * u64::from(layout.local_arguments), &table);
}

/// The number of words of local arguments.
fn check_local(graph: &Graph, local: &LocalArguments) -> Result<u32, InputError> {
    if !local.stride.is_multiple_of(4) {
        return Err(InputError::LocalStride(local.stride));
    }
    let words = local.bytes.len().div_ceil(4);
    if words > 0 {
        let outside = |row: u32| u64::from(row) * u64::from(local.stride) >= 4 * words as u64;
        // A node that did not choose a row may have none.
        let mut chosen = graph.nodes().iter().filter(|node| node.local_row.is_some());
        if let Some(node) = chosen.find(|node| outside(node.row)) {
            return Err(InputError::LocalRow {
                node: node.id.clone(),
                row: node.row,
                bytes: local.bytes.len(),
            });
        }
    }
    u32::try_from(words).map_err(|_| InputError::LocalSize)
}

fn check_size(graph: &Graph, what: &'static str, needed: u64, max: u64) -> Result<(), GraphError> {
    if needed <= max {
        return Ok(());
    }
    Err(GraphError::DeviceLimit {
        graph: graph.name().to_owned(),
        what,
        needed,
        max,
    })
}

/// Handles of the same bind groups.
pub(super) fn owned(bind_groups: &[&wgpu::BindGroup]) -> Vec<wgpu::BindGroup> {
    bind_groups.iter().map(|&group| group.clone()).collect()
}

pub(super) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(super) fn words_of(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

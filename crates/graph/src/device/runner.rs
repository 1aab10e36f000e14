//! The runner: a graph on a device.
//!
//! In: a [`Graph`], a device, the user's bind groups and inputs. Out: the user's resources as the
//! nodes wrote them, and a [`Report`]. What always holds: every record is consumed once by each of
//! its readers.

use std::borrow::Cow;
use std::sync::Mutex;
use std::time::Duration;

use super::arena::{ArenaBuffer, SharedArena};
use super::error::{GraphError, last_cause};
use super::feedback::{Control, StageCounts};
use super::groups::{Buffers, Fed, Groups, Run};
use super::input::{Feed, Feeder, Input};
use super::layout::{Layout, MAX_LAUNCHES, MAX_SIDE};
use super::pipelines::Pipelines;
use super::scopes::Scopes;
use super::tables::Tables;
use crate::code::{CodeOptions, GROUP, NodeCode};
use crate::model::Graph;
use crate::plan::{Plan, PlanOptions};

/// The maximum number of initial bytes of the memory that are written at once.
const MAX_TOGETHER: u64 = 1 << 17;
/// The maximum number of whole sweeps in one submission.
const MAX_SWEEPS: u32 = 16;

/// Local arguments: constants of each node, in rows.
#[derive(Clone, Debug, Default)]
pub struct LocalArguments {
    /// The table. Node code reads it word by word.
    pub bytes: Vec<u8>,
    /// The stride of rows in bytes, a multiple of four. Zero gives every node the whole table.
    pub stride: u32,
}

/// Options of a graph on a device.
#[derive(Clone)]
pub struct GraphOptions<'a> {
    /// The memory of its records.
    pub plan: PlanOptions,
    /// Checked mode: every misuse is reported as a named fault; costs some speed.
    pub checked: bool,
    /// Counts the records that nodes send; costs some speed.
    pub counted: bool,
    /// If not zero, the seed by which workgroups of coalescing nodes get pseudo-random numbers of
    /// records, up to their maximum.
    pub shuffle: u32,
    /// Layouts of the user's bind groups, from group 0 on.
    pub bind_group_layouts: &'a [&'a wgpu::BindGroupLayout],
    /// The local arguments of nodes.
    pub local_arguments: LocalArguments,
    /// The maximum number of inputs of a run.
    pub max_inputs: u32,
    /// The maximum number of launches of a node in one dispatch: records of thread and coalescing
    /// nodes, otherwise workgroups. Further launches wait for the next sweep, which then is a
    /// submission of its own. Use a small number on devices that reset after long dispatches.
    pub max_launches: u32,
    /// Waits for every node separately, so that a device loss names the node that caused it; slow.
    pub breadcrumbs: bool,
    /// The time after which a run ends between two submissions with [`GraphError::TimeLimitExceeded`]. A
    /// graph with recursive nodes can run for years, although each dispatch is short. It has no
    /// effect in browsers.
    pub time_limit: Option<Duration>,
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
            max_launches: MAX_LAUNCHES,
            breadcrumbs: false,
            time_limit: None,
        }
    }
}

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
    pub(super) groups: Mutex<Option<Groups>>,
    pub(super) fed: Mutex<Option<Fed>>,
    /// The maximum number of whole sweeps in a submission.
    pub(super) max_sweeps: u32,
    max_inputs: u32,
    users: usize,
    pub(super) breadcrumbs: bool,
    pub(super) time_limit: Option<Duration>,
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
        Self::with_memory(SharedArena::new(device, queue), graph, options).await
    }

    pub(super) async fn with_memory(
        arena: SharedArena,
        graph: &Graph,
        options: GraphOptions<'_>,
    ) -> Result<Self, GraphError> {
        let (device, queue) = (&arena.device, &arena.queue);
        let limits = device.limits();
        if limits.max_compute_workgroups_per_dimension < MAX_SIDE {
            return Err(GraphError::Device {
                graph: graph.name().to_owned(),
                message: format!(
                    "the device allows {} workgroups per dimension; graphs need {MAX_SIDE}, the minimum of WebGPU",
                    limits.max_compute_workgroups_per_dimension
                ),
            });
        }
        let max = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        let control = Layout::max_control_bytes(graph, &options);
        let mut plan_options = PlanOptions {
            memory: options
                .plan
                .memory
                .min(max)
                .min(limits.max_buffer_size.saturating_sub(control)),
            ..options.plan
        };
        let local = &options.local_arguments;
        let local_words = check_local(graph, local)?;
        let local_stride = local.stride / 4;
        let (plan, layout) = loop {
            let plan = Plan::new(graph, &plan_options)?;
            let layout = Layout::new(graph, &plan, &options, local_words, device);
            let needed = 4 * layout.plan_words;
            // Tables and block sums come on top of the planned memory, and must fit a binding too.
            let less = plan_options.memory / 8 * 7;
            if needed <= max || less < plan.minimum_bytes() {
                check_size(graph, "the plan", needed, max)?;
                break (plan, layout);
            }
            plan_options.memory = less;
        };
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
                message: format!("{} bind groups exceed the maximum of {GROUP}", users.len()),
            });
        }
        let pipelines = Pipelines::new(device, graph, &layout, &code, users).await?;
        let scopes = Scopes::new(device);
        let buffers = Buffers::new(device, graph, &plan, &layout);
        let tables = Tables {
            graph,
            plan: &plan,
            layout: &layout,
        };
        let words = tables.plan_words();
        queue.write_buffer(&buffers.plan, 0, &bytes_of(&words));
        if let Some(tables) = &buffers.tables {
            let words = bytes_of(&words[..layout.table_words() as usize]);
            queue.write_buffer(tables, 0, &words);
        }
        let uniforms = tables.uniforms(local_stride, local_words, options.shuffle);
        queue.write_buffer(&buffers.uniforms, 0, &uniforms);
        let mut table = local.bytes.clone();
        table.resize(4 * local_words as usize, 0);
        queue.write_buffer(&buffers.plan, 4 * u64::from(layout.local_arguments), &table);
        if let Some(error) = scopes.end().await {
            return Err(GraphError::Device {
                graph: graph.name().to_owned(),
                message: last_cause(&error),
            });
        }
        Ok(Self {
            device: device.clone(),
            queue: queue.clone(),
            arena,
            graph: graph.clone(),
            groups: Mutex::new(None),
            fed: Mutex::new(None),
            // Options with short dispatches imply short submissions.
            max_sweeps: match options.max_launches < MAX_LAUNCHES || options.breadcrumbs {
                true => 1,
                false => MAX_SWEEPS,
            },
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
        users: &'a [&'a wgpu::BindGroup],
    ) -> Result<Run<'a>, GraphError> {
        self.check_users(users)?;
        let feeder = self.feeder();
        let mut guard = self.arena.lock(self.graph.name()).await?;
        let scopes = Scopes::new(&self.device);
        let feed = feeder.feed(input);
        let needed = self.layout.records() + self.record_bytes();
        let memory = self.arena.grow(&mut guard, needed);
        let groups = self.groups(memory);
        let mut control = vec![0; self.layout.control_words as usize];
        let mut records = Vec::new();
        let feed = feed.map(|feed| match feed {
            Feed::Host(feed) => {
                for (queue, count) in feed.tails {
                    control[self.layout.tails as usize + queue] = count;
                }
                records = feed.writes;
                None
            }
            Feed::Device(feed) => Some(self.feed_groups(&feed, memory)),
        });
        self.write_memory(memory, &control, &records);
        if let Some(error) = scopes.end().await {
            self.arena.release(&mut guard);
            self.forget_feed();
            return Err(self.device_error(&error));
        }
        let feed = feed?;
        Ok(Run {
            groups,
            feed,
            control,
            users,
            guard,
        })
    }

    pub(super) fn feeder(&self) -> Feeder<'_> {
        Feeder {
            device: &self.device,
            queue: &self.queue,
            graph: &self.graph,
            plan: &self.plan,
            max_inputs: self.max_inputs,
        }
    }

    pub(super) fn check_users(&self, users: &[&wgpu::BindGroup]) -> Result<(), GraphError> {
        if users.len() == self.users {
            return Ok(());
        }
        let message = format!(
            "{} bind groups were given, but there are {} layouts",
            users.len(),
            self.users
        );
        Err(self.input_error(message))
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

    pub(super) fn input_error(&self, message: String) -> GraphError {
        GraphError::Input {
            graph: self.graph.name().to_owned(),
            message,
        }
    }

    pub(super) fn device_error(&self, error: &wgpu::Error) -> GraphError {
        GraphError::Device {
            graph: self.graph.name().to_owned(),
            message: last_cause(error),
        }
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        let label = Some(self.graph.name());
        (self.device).create_command_encoder(&wgpu::CommandEncoderDescriptor { label })
    }

    pub(super) fn control<'a>(&'a self, words: &'a [u32]) -> Control<'a> {
        let layout = &self.layout;
        Control { words, layout }
    }

    pub(super) fn report(&self, control: &Control<'_>) -> Report {
        let stages = 0..self.plan.stages().len();
        Report {
            // A run without work counts as one sweep.
            sweeps: control.sweeps().max(1),
            stages: stages.map(|stage| control.counts(stage)).collect(),
        }
    }
}

fn check_local(graph: &Graph, local: &LocalArguments) -> Result<u32, GraphError> {
    let error = |message: String| GraphError::Input {
        graph: graph.name().to_owned(),
        message,
    };
    if !local.stride.is_multiple_of(4) {
        let stride = local.stride;
        return Err(error(format!(
            "a stride of {stride} bytes between rows of local arguments is not a multiple of four"
        )));
    }
    let words = local.bytes.len().div_ceil(4);
    if words > 0 {
        let outside = |row: u32| u64::from(row) * u64::from(local.stride) >= 4 * words as u64;
        // A node that did not choose a row may have none.
        let mut chosen = graph.nodes().iter().filter(|node| node.local_row.is_some());
        if let Some(node) = chosen.find(|node| outside(node.row)) {
            return Err(error(format!(
                "node `{}` uses row {} of the local arguments, which have only {} bytes",
                node.id,
                node.row,
                local.bytes.len()
            )));
        }
    }
    u32::try_from(words).map_err(|_| error("the local arguments are too large".to_owned()))
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

pub(super) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(super) fn words_of(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

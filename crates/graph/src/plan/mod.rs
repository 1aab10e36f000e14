//! Plans the memory of a graph: queues, their capacities, and the stages that fill them.
//!
//! In: a [`Graph`] and a memory limit. Out: a [`Plan`]: a queue for the input of every stage that
//! owns one, a capacity for each queue, and for each stage the maximum number of records that one
//! launch can add to each queue. What always holds: queues and stages are sorted by level, and
//! every queue has room for one launch of each stage that fills it, so that every sweep makes
//! progress.

mod memory;
mod queue_bounds;
mod report;

use std::collections::HashMap;

use crate::model::{Graph, Grid, InputAccess, Launch, NodeIndex, Stage};

pub use memory::PlanOptions;

/// Workgroup size of a thread node.
pub(crate) const THREAD_WORKGROUP: u32 = 64;

/// Why a plan cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The memory is too small for one launch of each node.
    #[error("graph `{graph}` needs at least {minimum} bytes for its records, but gets {given}")]
    TooSmall {
        /// The name of the graph.
        graph: String,
        /// The minimum number of bytes that guarantees completion.
        minimum: u64,
        /// The available number of bytes.
        given: u64,
    },
}

/// The record queue of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The node that owns it.
    pub node: NodeIndex,
    /// The step of the node's recursion.
    pub step: u32,
    /// The level at which it is read.
    pub level: u32,
    /// Words per record; zero for empty records.
    pub stride: u32,
    /// Further bytes per record: prefix sums for each reader with a dynamic grid.
    pub scan_bytes: u32,
    /// The minimum number of records for which it needs room.
    pub minimum: u32,
    /// The number of records for which it has room.
    pub capacity: u32,
    /// Offset in the arena, in words.
    pub base: u32,
    /// The stages that read it, as indices in [`Plan::stages`].
    pub readers: Vec<usize>,
}

/// An edge from a stage to a queue that it fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index of the queue in [`Plan::queues`].
    pub queue: usize,
    /// The maximum number of records that one launch adds.
    pub max_records: u32,
}

/// A stage with its queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStage {
    /// The node, its step and its level.
    pub stage: Stage,
    /// Index of the queue that it reads.
    pub queue: usize,
    /// The queues that it fills.
    pub edges: Vec<Edge>,
    /// The queue for each output and each member of its array; `None` for holes and where the
    /// recursion ends.
    pub targets: Vec<Vec<Option<usize>>>,
    /// The remaining recursion depth of the node.
    pub remaining: u32,
}

/// The memory plan of a graph.
#[derive(Clone, Debug)]
pub struct Plan {
    name: String,
    queues: Vec<Queue>,
    stages: Vec<PlannedStage>,
    nodes: Vec<PlannedNode>,
    minimum: u64,
    recommended: u64,
    given: u64,
    arena: u64,
}

/// The labels of a node in the printed plan.
#[derive(Clone, Debug)]
struct PlannedNode {
    name: String,
    mode: String,
}

impl Queue {
    /// Bytes of memory per record.
    pub fn bytes_per_record(&self) -> u32 {
        4 * self.stride + self.scan_bytes
    }
}

impl Plan {
    /// Plans a graph.
    pub fn new(graph: &Graph, options: &PlanOptions) -> Result<Self, PlanError> {
        let (mut queues, stages) = structure(graph);
        queue_bounds::set_minimum_capacities(&mut queues, &stages);
        let needs = queue_bounds::full_capacities(graph, &queues, &stages, options);
        let sizes = memory::share(graph, &mut queues, &needs, options)?;
        let nodes = graph.nodes().iter().map(|node| PlannedNode {
            name: node.id.to_string(),
            mode: mode(node.launch),
        });
        Ok(Self {
            name: graph.name().to_owned(),
            nodes: nodes.collect(),
            queues,
            stages,
            minimum: sizes.minimum,
            recommended: sizes.recommended,
            given: sizes.given,
            arena: sizes.arena,
        })
    }

    /// The queues, sorted by level.
    pub fn queues(&self) -> &[Queue] {
        &self.queues
    }

    /// The stages, sorted by level.
    pub fn stages(&self) -> &[PlannedStage] {
        &self.stages
    }

    /// The stages of a level.
    pub(crate) fn stages_at(&self, level: u32) -> &[PlannedStage] {
        let first = (self.stages).partition_point(|stage| stage.stage.level < level);
        let end = (self.stages).partition_point(|stage| stage.stage.level <= level);
        &self.stages[first..end]
    }

    /// The queue of an entry.
    pub(crate) fn entry_queue(&self, node: NodeIndex) -> Option<usize> {
        let mut queues = self.queues.iter();
        queues.position(|queue| queue.node == node && queue.step == 0)
    }

    /// The number of levels.
    pub fn levels(&self) -> u32 {
        self.stages.last().map_or(0, |stage| stage.stage.level + 1)
    }

    /// The minimum number of bytes with which the graph always completes.
    pub fn minimum_bytes(&self) -> u64 {
        self.minimum
    }

    /// The number of bytes with which any input of the expected size takes one sweep, if no node
    /// exceeds [`GraphOptions::max_launches`](crate::device::GraphOptions::max_launches) at once.
    pub fn recommended_bytes(&self) -> u64 {
        self.recommended
    }

    /// The planned size in bytes: records, and prefix sums of dynamic grids.
    pub fn bytes(&self) -> u64 {
        self.given
    }

    /// Size of the records alone, in bytes.
    pub(crate) fn arena_bytes(&self) -> u64 {
        self.arena
    }
}

fn mode(launch: Launch) -> String {
    let sides = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
    match launch {
        Launch::Thread => "thread".to_owned(),
        Launch::Coalescing { max_records, .. } => format!("coalescing {max_records}"),
        Launch::Broadcasting { grid, .. } => match grid {
            Grid::Fixed(grid) => format!("grid {}", sides(grid)),
            Grid::Dynamic { max } => format!("grid <= {}", sides(max)),
        },
    }
}

/// Creates queues, stages and the edges between them, without capacities.
fn structure(graph: &Graph) -> (Vec<Queue>, Vec<PlannedStage>) {
    let nodes = graph.nodes();
    let owned = graph
        .stages()
        .iter()
        .filter(|stage| nodes[stage.node].owner == stage.node);
    let mut queues: Vec<_> = owned.map(|&stage| queue(graph, stage)).collect();
    // A map, because many nodes may have outputs with thousands of targets.
    let places = queues.iter().enumerate();
    let places: HashMap<_, _> = places
        .map(|(place, queue)| ((queue.node, queue.step), place))
        .collect();
    let place = |node: NodeIndex, step: u32| places.get(&(node, step)).copied();
    let mut stages = Vec::new();
    for &stage in graph.stages() {
        let node = &nodes[stage.node];
        let queue_of = |target: NodeIndex| {
            if target == stage.node {
                place(target, stage.step + 1)
            } else {
                place(target, 0)
            }
        };
        let targets: Vec<Vec<_>> = node
            .resolved_outputs
            .iter()
            .map(|output| {
                output
                    .targets
                    .iter()
                    .map(|target| queue_of((*target)?))
                    .collect()
            })
            .collect();
        stages.push(PlannedStage {
            queue: place(node.owner, stage.step).unwrap_or_default(),
            edges: queue_bounds::edges(node, &targets),
            remaining: node.recursion.saturating_sub(stage.step),
            targets,
            stage,
        });
    }
    for (index, stage) in stages.iter().enumerate() {
        queues[stage.queue].readers.push(index);
    }
    (queues, stages)
}

fn queue(graph: &Graph, stage: Stage) -> Queue {
    let node = &graph.nodes()[stage.node];
    let words = graph
        .input_record(stage.node)
        .map_or(0, |record| record.bytes() / 4);
    let readers = node.sharers.iter().copied().chain([stage.node]);
    let dynamic = readers
        .filter(|&reader| graph.has_dynamic_grid(reader))
        .count();
    Queue {
        // Two sums, two sides of a grid, and a word of the guide.
        scan_bytes: 16 * dynamic as u32,
        node: stage.node,
        step: stage.step,
        level: stage.level,
        stride: words + u32::from(node.access == InputAccess::Tracked),
        minimum: 0,
        capacity: 0,
        base: 0,
        readers: Vec::new(),
    }
}

//! Encodes the plan as words.
//!
//! In: graph, plan and layout. Out: the constant part of the `plan` buffer, and the uniforms of
//! stages and levels. Rows are written member by member, by name.

use crate::layout::{
    EDGE, ENTRY, LEVEL_UNIFORM, Layout, NONE, QUEUE, Row, STAGE, STAGE_UNIFORM, TARGET,
    UNIFORM_SLOT, member,
};
use std::collections::HashSet;

use crate::model::{Graph, Grid, InputAccess, Launch, Scalar};
use crate::plan::{Plan, PlannedStage, Queue};

/// Writer of a plan's tables for one layout.
pub(crate) struct Tables<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) plan: &'a Plan,
    pub(crate) layout: &'a Layout,
}

/// Writes a row; members that are not named are zero.
fn fill(words: &mut [u32], row: Row, values: &[(&str, u32)]) {
    for (name, value) in values {
        words[member(row, name) as usize] = *value;
    }
}

impl Tables<'_> {
    /// The words of `plan` before those that the device writes.
    pub(crate) fn plan_words(&self) -> Vec<u32> {
        let mut words = vec![0; self.layout.launches as usize];
        let mut at = Cursors::default();
        for (index, stage) in self.plan.stages().iter().enumerate() {
            let row = self.row(&mut words, self.layout.stages, index, STAGE);
            self.fill_stage(row, index, stage, at.edge);
            for edge in &stage.edges {
                let row = self.row(&mut words, self.layout.edges, at.edge, EDGE);
                fill(
                    row,
                    EDGE,
                    &[
                        ("queue", edge.queue as u32),
                        ("max_records", edge.max_records),
                    ],
                );
                at.edge += 1;
            }
            for queue in stage.targets.iter().flatten() {
                let row = self.row(&mut words, self.layout.targets, at.target, TARGET);
                self.fill_target(row, *queue);
                at.target += 1;
            }
            if self.graph.has_dynamic_grid(stage.stage.node) {
                words[self.layout.dynamic as usize + at.dynamic] = index as u32;
                at.dynamic += 1;
            }
        }
        for (index, queue) in self.plan.queues().iter().enumerate() {
            let row = self.row(&mut words, self.layout.queues, index, QUEUE);
            fill_queue(row, queue, at.reader);
            for &reader in &queue.readers {
                words[self.layout.readers as usize + at.reader] = reader as u32;
                at.reader += 1;
            }
        }
        self.fill_entries(&mut words);
        words
    }

    fn row<'w>(&self, words: &'w mut [u32], table: u32, index: usize, row: Row) -> &'w mut [u32] {
        let first = table as usize + index * row.len();
        &mut words[first..first + row.len()]
    }

    fn fill_stage(&self, row: &mut [u32], index: usize, stage: &PlannedStage, first_edge: usize) {
        let node = &self.graph.nodes()[stage.stage.node];
        let (per_unit, max) = match node.launch {
            Launch::Thread => (1, [0; 3]),
            Launch::Coalescing { max_records, .. } => (max_records, [0; 3]),
            Launch::Broadcasting { grid, .. } => match grid {
                Grid::Fixed(grid) => (grid.iter().product(), grid),
                Grid::Dynamic { max } => (0, max),
            },
        };
        let record = self.graph.input_record(stage.stage.node);
        let grid = record.and_then(|record| record.grid_field());
        let (offset, format) = grid.map_or((0, 0), |field| {
            let bits = match field.ty.scalar {
                Scalar::U16 => 16,
                _ => 32,
            };
            (field.offset, 4 * bits + field.ty.components)
        });
        let scan = self.layout.scans[index];
        let values = [
            ("kind", node.launch.kind().number),
            ("queue", stage.queue as u32),
            ("per_unit", per_unit),
            ("first_edge", first_edge as u32),
            ("edges", stage.edges.len() as u32),
            ("launch", self.layout.launch(index)),
            ("scan", scan.blocks),
            ("guide", scan.guide),
            ("guide_words", scan.guide_words),
            ("within", scan.within),
            ("begins", scan.begins),
            ("grid_offset", offset),
            ("grid_format", format),
            ("max_x", max[0]),
            ("max_y", max[1]),
            ("max_z", max[2]),
        ];
        fill(row, STAGE, &values);
    }

    fn fill_target(&self, row: &mut [u32], queue: Option<usize>) {
        let values = match queue {
            None => [("base", 0), ("stride", 0), ("capacity", 0), ("tail", NONE)],
            Some(index) => {
                let queue = &self.plan.queues()[index];
                [
                    ("base", queue.base),
                    ("stride", queue.stride),
                    ("capacity", queue.capacity),
                    ("tail", self.layout.control.tails + index as u32),
                ]
            }
        };
        fill(row, TARGET, &values);
    }

    fn fill_entries(&self, words: &mut [u32]) {
        for (index, &node) in self.graph.entries().iter().enumerate() {
            let queue = self.plan.entry_queue(node);
            let record = self.graph.input_record(node);
            let tracked = self.graph.nodes()[node].access == InputAccess::Tracked;
            let values = [
                ("queue", queue.map_or(NONE, |queue| queue as u32)),
                (
                    "words_of_record",
                    record.map_or(0, |record| record.bytes() / 4),
                ),
                ("tracked", u32::from(tracked)),
            ];
            let row = self.row(words, self.layout.entries, index, ENTRY);
            fill(row, ENTRY, &values);
        }
    }

    /// The uniforms of each stage, of each level and of the end of a sweep, one slot each.
    pub(crate) fn uniforms(&self, local_stride: u32, local_words: u32, seed: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut target = self.layout.targets;
        for (index, stage) in self.plan.stages().iter().enumerate() {
            let queue = &self.plan.queues()[stage.queue];
            let row = self.graph.nodes()[stage.stage.node].row;
            let first = u64::from(row) * u64::from(local_stride);
            let rest = u64::from(local_words).saturating_sub(first);
            let words = match local_stride {
                0 => rest,
                stride => rest.min(stride.into()),
            };
            let scan = self.layout.scans[index];
            let values = [
                ("launch", self.layout.launch(index)),
                ("stage", index as u32),
                ("input_base", queue.base),
                ("input_stride", queue.stride),
                ("remaining", stage.remaining),
                ("targets", target),
                (
                    "local_arguments",
                    self.layout.local_arguments + first.min(local_words.into()) as u32,
                ),
                ("local_words", words as u32),
                ("guide", scan.guide),
                ("begins", scan.begins),
                ("counts", self.layout.counts(index)),
            ];
            push_slot(&mut bytes, STAGE_UNIFORM, &values);
            let targets = stage.targets.iter().flatten().count();
            target += targets as u32 * TARGET.len() as u32;
        }
        for level in 0..=self.plan.levels() {
            push_slot(&mut bytes, LEVEL_UNIFORM, &self.level(level, seed));
        }
        bytes
    }

    /// The uniform offset of a slot: stages first, then levels.
    pub(crate) fn slot(index: usize) -> u32 {
        index as u32 * UNIFORM_SLOT as u32
    }

    fn level(&self, level: u32, seed: u32) -> [(&'static str, u32); 9] {
        let stages = self.plan.stages();
        let queues = self.plan.queues();
        let before = |level: u32| stages.partition_point(|stage| stage.stage.level < level);
        let queues_before = |level: u32| queues.partition_point(|queue| queue.level < level);
        let dynamic = |end: usize| {
            let nodes = stages[..end].iter().map(|stage| stage.stage.node);
            nodes
                .filter(|&node| self.graph.has_dynamic_grid(node))
                .count()
        };
        let (first, end) = (before(level), before(level + 1));
        let retired = queues_before(level.saturating_sub(1));
        let values = [
            ("first_stage", first),
            ("stages", end - first),
            ("first_retired", retired),
            ("retired", queues_before(level) - retired),
            ("first_dynamic", dynamic(first)),
            ("dynamic", dynamic(end) - dynamic(first)),
            (
                "scan_groups",
                self.layout.scan_groups(self.graph, self.plan, level) as usize,
            ),
            ("is_contended", is_contended(&stages[first..end]).into()),
            ("seed", seed as usize),
        ];
        values.map(|(name, value)| (name, value as u32))
    }
}

/// Whether several stages fill one queue, so that they must divide its room.
pub(super) fn is_contended(stages: &[PlannedStage]) -> bool {
    let mut filled = HashSet::new();
    let mut edges = stages.iter().flat_map(|stage| &stage.edges);
    edges.any(|edge| !filled.insert(edge.queue))
}

/// The next free row of each table.
#[derive(Default)]
struct Cursors {
    edge: usize,
    target: usize,
    dynamic: usize,
    reader: usize,
}

fn fill_queue(row: &mut [u32], queue: &Queue, first_reader: usize) {
    let values = [
        ("base", queue.base),
        ("stride", queue.stride),
        ("capacity", queue.capacity),
        ("first_reader", first_reader as u32),
        ("readers", queue.readers.len() as u32),
    ];
    fill(row, QUEUE, &values);
}

/// Appends a uniform and fills its slot.
pub(crate) fn push_slot(bytes: &mut Vec<u8>, row: Row, values: &[(&str, u32)]) {
    let mut words = vec![0; (UNIFORM_SLOT / 4) as usize];
    fill(&mut words, row, values);
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

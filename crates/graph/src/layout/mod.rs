//! Memory layout of the runtime's buffers.
//!
//! In: a plan. Out: word offsets for Rust and the same as `const`s for WGSL; no other module defines
//! offsets. The code generator and the device both build on this module, which depends on neither.
//! There are two collections of tables. `plan` is read-only for nodes: tables, launches,
//! prefix sums of dynamic grids, local arguments. `control` is all atomic: tails, cursors,
//! feedback, counts. It lies before the records in the arena, so that one write initializes a run.

mod device_rule;
mod rows;

use std::fmt::Write;

use crate::model::Graph;
use crate::plan::Plan;

pub use device_rule::DeviceRule;
pub(crate) use device_rule::wgsl as rules_wgsl;
pub(crate) use rows::{
    COUNTS, DESCRIPTOR, EDGE, ENTRY, FAULT, HEADER, INPUT_SLICE, INPUT_UNIFORM, LAUNCH,
    LEVEL_UNIFORM, QUEUE, Row, STAGE, STAGE_UNIFORM, TARGET, member, rows_wgsl, uniform_wgsl,
};

/// The bind group of the runtime. Lower groups belong to the user.
pub(crate) const RUNTIME_GROUP: u32 = 3;
/// WGSL that stores a fault in `control`, for every shader that checks rules.
pub(crate) const REPORT_WGSL: &str = include_str!("report.wgsl");

/// The maximum workgroup count along one dimension on every device; the passes between levels rely
/// on it.
pub(crate) const MAX_SIDE: u32 = 65535;
/// The maximum number of stored faults; further ones are only counted.
pub(crate) const MAX_FAULTS: u32 = 64;
/// Records per block of the prefix sum over grids; one workgroup scans a block.
pub(crate) const SCAN_BLOCK: u32 = 256;
/// The maximum number of launches of a stage in a sweep for any options: sums of workgroups have 32
/// bits.
pub(crate) const MAX_LAUNCHES: u32 = 1 << 30;
/// The maximum number of buffers that inputs can refer to.
pub(crate) const MAX_INPUT_BUFFERS: u32 = 64;
/// Marks a missing queue or record.
pub(crate) const NONE: u32 = u32::MAX;
/// The maximum offset alignment of bindings on any device.
const BINDING_ALIGNMENT: u64 = 256;
/// Bytes of one stage's or level's slot in the uniform buffer.
pub(crate) const UNIFORM_SLOT: u64 = BINDING_ALIGNMENT;
/// The maximum size of tables in a uniform buffer: larger ones are slower on some devices.
const MAX_UNIFORM_BYTES: u64 = 65536;

/// Prefix sums over the grids of waiting records, in workgroups (offsets of the arrays).
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrefixSums {
    /// For each block of records, the sum before it.
    pub(crate) blocks: u32,
    /// The guide: for every 2^shift workgroups the record of the first one, where a search starts.
    pub(crate) guide: u32,
    pub(crate) guide_words: u32,
    /// For each record, the inclusive sum within its block.
    pub(crate) within: u32,
    /// For each record, the sum before it and two sides of its grid; then the total sum.
    pub(crate) begins: u32,
}

impl PrefixSums {
    const NONE: Self = Self {
        blocks: NONE,
        guide: NONE,
        guide_words: 0,
        within: NONE,
        begins: NONE,
    };

    fn allocate(words: &mut WordAllocator, capacity: u32) -> Self {
        let guide_words = guide_words(capacity);
        Self {
            blocks: words.take_words(blocks(capacity).into()),
            guide: words.take_words(guide_words.into()),
            guide_words,
            within: words.take_words(capacity.into()),
            begins: words.take_words(2 * u64::from(capacity) + 1),
        }
    }
}

/// Offsets of the tables, in words.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) stages: u32,
    pub(crate) queues: u32,
    pub(crate) edges: u32,
    pub(crate) readers: u32,
    pub(crate) dynamic: u32,
    pub(crate) entries: u32,
    pub(crate) targets: u32,
    pub(crate) input_sizes: u32,
    pub(crate) local_arguments: u32,
    /// From here on the device writes.
    pub(crate) launches: u32,
    pub(crate) input_launch: u32,
    pub(crate) input_slices: u32,
    /// Copies of the input descriptors from the beginning of the run, since nodes may write the
    /// user's.
    descriptors: u32,
    pub(crate) scans: Vec<PrefixSums>,
    pub(crate) plan_words: u64,

    pub(crate) control: ControlLayout,

    pub(crate) stage_count: u32,
    /// The number of stages of the first level.
    first_stages: u32,
    pub(crate) queue_count: u32,
    pub(crate) entry_count: u32,
    /// The maximum number of launches of a stage in a sweep.
    at_once: u32,
    max_uniform_bytes: u64,
    /// The maximum number of workgroups that scan the grids of a stage. The number that is needed
    /// is known only on the device, and unneeded ones cost time on a CPU.
    max_scan_groups: u32,
}

/// Offsets of the atomic words of `control`, in words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlLayout {
    pub(crate) faults: u32,
    pub(crate) tails: u32,
    active: u32,
    demand: u32,
    counts: u32,
    input_cursors: u32,
    pub(crate) words: u32,
}

impl ControlLayout {
    fn new(plan: &Plan, max_inputs: u32) -> Self {
        let queues = plan.queues().len() as u64;
        let mut words = WordAllocator(0);
        words.take(1, HEADER);
        Self {
            faults: words.take(MAX_FAULTS as usize, FAULT),
            tails: words.take_words(queues),
            active: words.take_words(queues),
            demand: words.take_words(queues),
            counts: words.take(plan.stages().len(), COUNTS),
            input_cursors: words.take_words(max_inputs.into()),
            words: words.take_words(0),
        }
    }
}

/// Allocates consecutive offsets.
struct WordAllocator(u64);

impl WordAllocator {
    fn take(&mut self, rows: usize, row: Row) -> u32 {
        self.take_words(rows as u64 * row.len() as u64)
    }

    fn take_words(&mut self, words: u64) -> u32 {
        let at = self.0;
        self.0 += words;
        // Buffers of more than 2^32 words are rejected before anything is written to them.
        u32::try_from(at).unwrap_or(NONE)
    }
}

/// What the layout depends on besides the graph and its plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayoutOptions {
    /// The maximum number of inputs of a run.
    pub(crate) max_inputs: u32,
    /// The maximum number of launches of a stage in a sweep.
    pub(crate) max_launches: u32,
    /// The number of words of local arguments.
    pub(crate) local_words: u32,
    /// The maximum size of a uniform buffer on the device.
    pub(crate) max_uniform_bytes: u64,
    /// The maximum number of workgroups that scan the grids of a stage.
    pub(crate) max_scan_groups: u32,
}

impl Layout {
    /// Places the tables of a plan.
    pub(crate) fn new(graph: &Graph, plan: &Plan, options: &LayoutOptions) -> Self {
        let max_inputs = options.max_inputs;
        let (stages, queues) = (plan.stages(), plan.queues());
        let targets: usize = stages
            .iter()
            .flat_map(|stage| &stage.targets)
            .map(Vec::len)
            .sum();
        let mut words = WordAllocator(0);
        let stage_table = words.take(stages.len(), STAGE);
        let queue_table = words.take(queues.len(), QUEUE);
        let edges = words.take(stages.iter().map(|stage| stage.edges.len()).sum(), EDGE);
        let readers = words.take_words(stages.len() as u64);
        let dynamic = words.take_words(stages.len() as u64);
        let entries = words.take(graph.entries().len(), ENTRY);
        let targets = words.take(targets, TARGET);
        let input_sizes = words.take_words(MAX_INPUT_BUFFERS.into());
        let local_arguments = words.take_words(options.local_words.into());
        let launches = words.take(stages.len(), LAUNCH);
        let input_launch = words.take(1, LAUNCH);
        let input_slices = words.take(max_inputs as usize, INPUT_SLICE);
        let descriptors = words.take(max_inputs as usize, DESCRIPTOR);
        let scans = stages.iter().map(|stage| {
            if graph.has_dynamic_grid(stage.stage.node) {
                PrefixSums::allocate(&mut words, queues[stage.queue].capacity)
            } else {
                PrefixSums::NONE
            }
        });
        Self {
            stages: stage_table,
            queues: queue_table,
            edges,
            readers,
            dynamic,
            entries,
            targets,
            input_sizes,
            local_arguments,
            launches,
            input_launch,
            input_slices,
            descriptors,
            scans: scans.collect(),
            plan_words: words.0,
            control: ControlLayout::new(plan, max_inputs),
            stage_count: stages.len() as u32,
            first_stages: plan.stages_at(0).len() as u32,
            queue_count: queues.len() as u32,
            entry_count: graph.entries().len() as u32,
            at_once: options.max_launches.clamp(1, MAX_LAUNCHES),
            max_uniform_bytes: options.max_uniform_bytes.min(MAX_UNIFORM_BYTES),
            max_scan_groups: options.max_scan_groups,
        }
    }

    /// Offset of the launch of a stage.
    pub(crate) fn launch(&self, stage: usize) -> u32 {
        self.launches + stage as u32 * LAUNCH.len() as u32
    }

    /// Offset of the counts of a stage in `control`.
    pub(crate) fn counts(&self, stage: usize) -> u32 {
        self.control.counts + stage as u32 * COUNTS.len() as u32
    }

    /// The maximum size in bytes of the tables before the records, known before there is a plan.
    pub(crate) fn max_control_bytes(graph: &Graph, max_inputs: u32) -> u64 {
        // For each stage its counts, and the tail, the demand and the activity of a queue.
        let stages = graph.stages().len() as u64 * (COUNTS.len() as u64 + 3);
        let faults = u64::from(MAX_FAULTS) * FAULT.len() as u64;
        let words = HEADER.len() as u64 + faults + stages + u64::from(max_inputs);
        (4 * words).next_multiple_of(BINDING_ALIGNMENT)
    }

    /// Size of `control` in bytes.
    pub(crate) fn control_bytes(&self) -> u64 {
        4 * u64::from(self.control.words)
    }

    /// Offset of the records in the arena, after `control`.
    pub(crate) fn records(&self) -> u64 {
        self.control_bytes().next_multiple_of(BINDING_ALIGNMENT)
    }

    /// The number of workgroups for the prefix sums of each stage with a dynamic grid at a level:
    /// at most the possible number of blocks.
    pub(crate) fn scan_groups(&self, graph: &Graph, plan: &Plan, level: u32) -> u32 {
        let stages = plan
            .stages()
            .iter()
            .filter(|stage| stage.stage.level == level);
        let dynamic = stages.filter(|stage| graph.has_dynamic_grid(stage.stage.node));
        let blocks = dynamic.map(|stage| blocks(plan.queues()[stage.queue].capacity));
        blocks.max().unwrap_or(0).min(self.max_scan_groups)
    }

    /// The offsets as WGSL constants, for the passes between levels.
    pub(crate) fn wgsl(&self) -> String {
        let mut text = rows_wgsl();
        for (name, value) in [
            ("STAGES", self.stages),
            ("QUEUES", self.queues),
            ("EDGES", self.edges),
            ("READERS", self.readers),
            ("DYNAMIC", self.dynamic),
            ("ENTRIES", self.entries),
            ("INPUT_SIZES", self.input_sizes),
            ("INPUT_LAUNCH", self.input_launch),
            ("INPUT_SLICE", self.input_slices),
            ("DESCRIPTORS", self.descriptors),
            ("TAILS", self.control.tails),
            ("ACTIVE", self.control.active),
            ("DEMAND", self.control.demand),
            ("COUNTS", self.control.counts),
            ("INPUT_CURSORS", self.control.input_cursors),
            ("STAGE_COUNT", self.stage_count),
            ("FIRST_STAGES", self.first_stages),
            ("QUEUE_COUNT", self.queue_count),
            ("ENTRY_COUNT", self.entry_count),
            ("aw_scan_block", SCAN_BLOCK),
            ("AT_ONCE", self.at_once),
            ("THREAD_WORKGROUP", crate::plan::THREAD_WORKGROUP),
        ] {
            let _ = writeln!(text, "const {name}: u32 = {value}u;");
        }
        text.push_str(&uniform_wgsl("Level", LEVEL_UNIFORM));
        text.push_str(&uniform_wgsl("InputPass", INPUT_UNIFORM));
        text
    }

    /// The number of words of the constant tables that the passes between levels read.
    pub(crate) fn table_words(&self) -> u32 {
        self.targets
    }

    /// Size in bytes of a uniform buffer for them. Reads are faster there than in a storage buffer.
    pub(crate) fn uniform_table_bytes(&self) -> u64 {
        16 * u64::from(self.table_words().div_ceil(4).max(1))
    }

    /// Whether the tables fit a uniform buffer.
    pub(crate) fn has_uniform_tables(&self) -> bool {
        self.uniform_table_bytes() <= self.max_uniform_bytes
    }

    /// A WGSL function that reads a word of the tables.
    pub(crate) fn table_wgsl(&self) -> String {
        if self.has_uniform_tables() {
            format!(
                "@group(0) @binding(4) var<uniform> tables: array<vec4<u32>, {}>;\n\
                 fn table(at: u32) -> u32 {{\n    return tables[at / 4u][at % 4u];\n}}\n",
                self.uniform_table_bytes() / 16
            )
        } else {
            "fn table(at: u32) -> u32 {\n    return plan[at];\n}\n".to_owned()
        }
    }
}

/// Size of the guide for a number of records, in words: enough for one per workgroup where grids
/// are small.
pub(crate) fn guide_words(records: u32) -> u32 {
    records.saturating_add(2)
}

/// The number of blocks of a scan over a number of records.
pub(crate) fn blocks(records: u32) -> u32 {
    records.div_ceil(SCAN_BLOCK)
}

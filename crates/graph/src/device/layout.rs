//! Memory layout of the runtime's buffers.
//!
//! In: a plan. Out: word offsets for Rust and the same as `const`s for WGSL; no other file defines
//! offsets. There are two collections of tables. `plan` is read-only for nodes: tables, launches,
//! prefix sums of dynamic grids, local arguments. `control` is all atomic: tails, cursors,
//! feedback, counts. It lies before the records in the arena, so that one write initializes a run.

use std::fmt::Write;

use super::runner::GraphOptions;
use crate::model::Graph;
use crate::plan::Plan;

/// The member names of a table row, in order.
pub(crate) type Row = &'static [&'static str];

/// A stage, as used by the passes between levels.
pub(crate) const STAGE: Row = &[
    "kind",
    "queue",
    "per_unit",
    "first_edge",
    "edges",
    "launch",
    "scan",
    "guide",
    "guide_words",
    "within",
    "begins",
    "grid_offset",
    "grid_format",
    "max_x",
    "max_y",
    "max_z",
];

/// A queue.
pub(crate) const QUEUE: Row = &["base", "stride", "capacity", "first_reader", "readers"];

/// An edge from a stage to a queue that it fills.
pub(crate) const EDGE: Row = &["queue", "worst"];

/// A queue as the target of an output: the words that a node needs to append records.
pub(crate) const TARGET: Row = &["base", "stride", "capacity", "tail"];

/// The admitted launches of a stage. The first three words are the arguments of an indirect
/// dispatch. Then come the first record and its first workgroup, the number of launches, and the
/// record after the last.
pub(crate) const LAUNCH: Row = &[
    "x", "y", "z", "origin", "first", "units", "end", "per_unit", "left", "total", "is_all",
    "scanned", "skipped", "records", "shift",
];

/// An entry: its queue and the size of a record in words.
pub(crate) const ENTRY: Row = &["queue", "words_of_record", "tracked"];

/// A descriptor of a GPU input, as the user writes it.
pub(crate) const DESCRIPTOR: Row = &["entry", "count", "buffer", "offset", "stride"];

/// The part of an input that is fed in a sweep.
pub(crate) const FED: Row = &["first", "count", "from", "before"];

/// The header of `control`. `deepest` is the deepest stage that had work left when the sweep began,
/// or zero.
pub(crate) const HEADER: Row = &["progress", "feed_left", "sweeps", "faults", "deepest"];

/// A fault on the device.
pub(crate) const FAULT: Row = &["rule", "stage", "record", "output", "found", "allowed"];

/// The counts of a stage: records of its queue that were launched completely, and workgroups of the
/// next one that were launched; then sums over the whole run. 64-bit sums have their low word
/// first.
pub(crate) const COUNTS: Row = &[
    "done",
    "within",
    "records_in",
    "records_in_high",
    "groups",
    "groups_high",
    "records_out",
    "records_out_high",
    "most",
];

/// The uniform of a node.
pub(crate) const STAGE_UNIFORM: Row = &[
    "launch",
    "stage",
    "input_base",
    "input_stride",
    "remaining",
    "targets",
    "local_arguments",
    "local_words",
    "guide",
    "begins",
    "counts",
];

/// The uniform of the passes between levels.
pub(crate) const LEVEL_UNIFORM: Row = &[
    "first_stage",
    "stages",
    "first_retired",
    "retired",
    "first_dynamic",
    "dynamic",
    "scan_groups",
    "is_contended",
    "seed",
];

/// The uniform of the feeding passes.
pub(crate) const FEED_UNIFORM: Row = &["cap", "counted", "first", "buffer", "buffers"];

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

/// The offset of a member in a row.
pub(crate) fn member(row: Row, name: &str) -> u32 {
    let place = row.iter().position(|member| *member == name);
    place.map_or(NONE, |place| place as u32)
}

/// Prefix sums over the grids of waiting records, in workgroups (offsets of the arrays).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan {
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

impl Scan {
    const NONE: Self = Self {
        blocks: NONE,
        guide: NONE,
        guide_words: 0,
        within: NONE,
        begins: NONE,
    };
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
    pub(crate) feed_launch: u32,
    pub(crate) fed: u32,
    /// Copies of the input descriptors from the beginning of the run, since nodes may write the
    /// user's.
    descriptors: u32,
    pub(crate) scans: Vec<Scan>,
    pub(crate) plan_words: u64,

    pub(crate) faults: u32,
    pub(crate) tails: u32,
    pub(crate) active: u32,
    pub(crate) demand: u32,
    pub(crate) counts: u32,
    pub(crate) feed_cursors: u32,
    pub(crate) control_words: u32,

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

/// Allocates consecutive offsets.
struct Words(u64);

impl Words {
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

impl Layout {
    /// Places the tables of a plan, with this number of words of local arguments.
    pub(crate) fn new(
        graph: &Graph,
        plan: &Plan,
        options: &GraphOptions<'_>,
        local_words: u32,
        device: &wgpu::Device,
    ) -> Self {
        let max_inputs = options.max_inputs;
        let (stages, queues) = (plan.stages(), plan.queues());
        let targets: usize = stages
            .iter()
            .flat_map(|stage| &stage.targets)
            .map(Vec::len)
            .sum();
        let mut words = Words(0);
        let stage_table = words.take(stages.len(), STAGE);
        let queue_table = words.take(queues.len(), QUEUE);
        let edges = words.take(stages.iter().map(|stage| stage.edges.len()).sum(), EDGE);
        let readers = words.take_words(stages.len() as u64);
        let dynamic = words.take_words(stages.len() as u64);
        let entries = words.take(graph.entries().len(), ENTRY);
        let targets = words.take(targets, TARGET);
        let input_sizes = words.take_words(MAX_INPUT_BUFFERS.into());
        let local_arguments = words.take_words(local_words.into());
        let launches = words.take(stages.len(), LAUNCH);
        let feed_launch = words.take(1, LAUNCH);
        let fed = words.take(max_inputs as usize, FED);
        let descriptors = words.take(max_inputs as usize, DESCRIPTOR);
        let scans = stages
            .iter()
            .map(|stage| {
                let capacity = queues[stage.queue].capacity;
                match graph.has_dynamic_grid(stage.stage.node) {
                    true => {
                        let guide_words = guide_words(capacity);
                        Scan {
                            blocks: words.take_words(blocks(capacity).into()),
                            guide: words.take_words(guide_words.into()),
                            guide_words,
                            within: words.take_words(capacity.into()),
                            begins: words.take_words(2 * u64::from(capacity) + 1),
                        }
                    }
                    false => Scan::NONE,
                }
            })
            .collect();

        let mut control = Words(0);
        control.take(1, HEADER);
        let faults = control.take(MAX_FAULTS as usize, FAULT);
        let tails = control.take_words(queues.len() as u64);
        let active = control.take_words(queues.len() as u64);
        let demand = control.take_words(queues.len() as u64);
        let counts = control.take(stages.len(), COUNTS);
        let feed_cursors = control.take_words(max_inputs.into());
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
            feed_launch,
            fed,
            descriptors,
            scans,
            plan_words: words.0,
            faults,
            tails,
            active,
            demand,
            counts,
            feed_cursors,
            control_words: control.take_words(0),
            stage_count: stages.len() as u32,
            first_stages: plan.stages_at(0).len() as u32,
            queue_count: queues.len() as u32,
            entry_count: graph.entries().len() as u32,
            at_once: options.max_launches.clamp(1, MAX_LAUNCHES),
            max_uniform_bytes: device
                .limits()
                .max_uniform_buffer_binding_size
                .min(MAX_UNIFORM_BYTES),
            max_scan_groups: match device.adapter_info().device_type {
                wgpu::DeviceType::Cpu => 16,
                _ => 1024,
            },
        }
    }

    /// Offset of the launch of a stage.
    pub(crate) fn launch(&self, stage: usize) -> u32 {
        self.launches + stage as u32 * LAUNCH.len() as u32
    }

    /// Offset of the counts of a stage in `control`.
    pub(crate) fn counts(&self, stage: usize) -> u32 {
        self.counts + stage as u32 * COUNTS.len() as u32
    }

    /// The maximum size in bytes of the tables before the records, known before there is a plan.
    pub(crate) fn max_control_bytes(graph: &Graph, options: &GraphOptions<'_>) -> u64 {
        // For each stage its counts, and the tail, the demand and the activity of a queue.
        let stages = graph.stages().len() as u64 * (COUNTS.len() as u64 + 3);
        let faults = u64::from(MAX_FAULTS) * FAULT.len() as u64;
        let words = HEADER.len() as u64 + faults + stages + u64::from(options.max_inputs);
        (4 * words).next_multiple_of(BINDING_ALIGNMENT)
    }

    /// Size of `control` in bytes.
    pub(crate) fn control_bytes(&self) -> u64 {
        4 * u64::from(self.control_words)
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
            ("FEED_LAUNCH", self.feed_launch),
            ("FED", self.fed),
            ("DESCRIPTORS", self.descriptors),
            ("TAILS", self.tails),
            ("ACTIVE", self.active),
            ("DEMAND", self.demand),
            ("COUNTS", self.counts),
            ("FEED_CURSORS", self.feed_cursors),
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
        text.push_str(&uniform_wgsl("Feed", FEED_UNIFORM));
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
        match self.has_uniform_tables() {
            true => format!(
                "@group(0) @binding(4) var<uniform> tables: array<vec4<u32>, {}>;\n\
                 fn table(at: u32) -> u32 {{\n    return tables[at / 4u][at % 4u];\n}}\n",
                self.uniform_table_bytes() / 16
            ),
            false => "fn table(at: u32) -> u32 {\n    return plan[at];\n}\n".to_owned(),
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

/// The member offsets of rows as WGSL `const`s, for every shader of the runtime: `aw_stage_queue`
/// is the offset of a stage row's member `queue`, `aw_stage_words` the length of the row.
pub(crate) fn rows_wgsl() -> String {
    let mut text = String::new();
    for (table, row) in [
        ("stage", STAGE),
        ("queue", QUEUE),
        ("edge", EDGE),
        ("target", TARGET),
        ("launch", LAUNCH),
        ("entry", ENTRY),
        ("descriptor", DESCRIPTOR),
        ("fed", FED),
        ("header", HEADER),
        ("fault", FAULT),
        ("counts", COUNTS),
    ] {
        for (place, name) in row.iter().enumerate() {
            let _ = writeln!(text, "const aw_{table}_{name}: u32 = {place}u;");
        }
        let _ = writeln!(text, "const aw_{table}_words: u32 = {}u;", row.len());
    }
    let _ = writeln!(text, "const aw_faults: u32 = {}u;", HEADER.len());
    let _ = writeln!(text, "const aw_max_faults: u32 = {MAX_FAULTS}u;");
    let _ = writeln!(text, "const aw_none: u32 = {NONE}u;");
    text
}

/// A row as the declaration of a WGSL uniform.
pub(crate) fn uniform_wgsl(name: &str, row: Row) -> String {
    let members = row.iter().map(|member| format!("    {member}: u32,\n"));
    format!("struct {name} {{\n{}}}\n", members.collect::<String>())
}

//! Rows of the runtime's tables.
//!
//! In: the member names of each row, which only this file lists. Out: offsets for Rust ([`member`]),
//! and the same as WGSL `const`s and uniforms.

use std::fmt::Write;

use super::{MAX_FAULTS, NONE};

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
pub(crate) const EDGE: Row = &["queue", "max_records"];

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

/// The part of an input that is copied in a sweep.
pub(crate) const INPUT_SLICE: Row = &["first", "count", "from", "before"];

/// The header of `control`. `deepest` is the deepest stage that had work left when the sweep began,
/// or zero.
pub(crate) const HEADER: Row = &["progress", "inputs_left", "sweeps", "faults", "deepest"];

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
    "max_waiting",
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

/// The uniform of the input passes.
pub(crate) const INPUT_UNIFORM: Row = &["cap", "counted", "first", "buffer", "buffers"];

/// The offset of a member in a row.
pub(crate) fn member(row: Row, name: &str) -> u32 {
    let place = row.iter().position(|member| *member == name);
    place.map_or(NONE, |place| place as u32)
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
        ("input_slice", INPUT_SLICE),
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

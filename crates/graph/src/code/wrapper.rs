//! Generates the entry point that calls a node's function.
//!
//! In: a node and the parameters of its function. Out: WGSL that computes the record and the
//! workgroup's position in its grid, and calls the function. Values that a workgroup shares are
//! passed as arguments, because compilers can prove that these are uniform.

use std::fmt::Write;

use crate::model::{Grid, InputAccess, Launch, ResolvedNode};
use crate::plan::THREAD_WORKGROUP;

use super::{CodeOptions, ENTRY_POINT};

/// A parameter that a node's function may have, by name.
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) is_vector: bool,
    value: &'static str,
    /// Whether its value depends on the workgroup's position in its grid.
    needs_grid_position: bool,
}

impl Argument {
    const fn new(name: &'static str, is_vector: bool, value: &'static str) -> Self {
        Self {
            name,
            is_vector,
            value,
            needs_grid_position: false,
        }
    }

    const fn in_grid(name: &'static str, value: &'static str) -> Self {
        Self {
            needs_grid_position: true,
            ..Self::new(name, true, value)
        }
    }
}

/// All known parameters.
pub(super) const ARGUMENTS: [Argument; 6] = [
    Argument::in_grid("group_id", "aw_group_id"),
    Argument::in_grid("grid", "aw_grid"),
    Argument::new("local_id", true, "aw_local_id"),
    Argument::in_grid(
        "global_id",
        "(aw_group_id * vec3<u32>($SIZE) + aw_local_id)",
    ),
    Argument::new("local_index", false, "aw_local_index"),
    Argument::new("input_count", false, "aw_input_count"),
];

pub(super) fn workgroup_size(launch: Launch) -> [u32; 3] {
    match launch {
        Launch::Thread => [THREAD_WORKGROUP, 1, 1],
        Launch::Coalescing { workgroup_size, .. } | Launch::Broadcasting { workgroup_size, .. } => {
            workgroup_size
        }
    }
}

pub(super) fn write(
    node: &ResolvedNode,
    function: &str,
    arguments: &[&Argument],
    options: CodeOptions,
) -> String {
    let [x, y, z] = workgroup_size(node.launch);
    let is_tracked = node.access == InputAccess::Tracked;
    let needs_grid_position = is_tracked
        || arguments
            .iter()
            .any(|argument| argument.needs_grid_position);
    let mut text = format!(
        "\
@compute @workgroup_size({x}, {y}, {z})
fn {ENTRY_POINT}(
    @builtin(workgroup_id) aw_workgroup: vec3<u32>,
    @builtin(local_invocation_id) aw_local_id: vec3<u32>,
    @builtin(local_invocation_index) aw_local_index: u32,
) {{
    let aw_at = aw_stage.launch;
    let aw_linear = aw_workgroup.y * aw_plan[aw_at + aw_launch_x] + aw_workgroup.x;
    let aw_units = aw_plan[aw_at + aw_launch_units];
"
    );
    text.push_str(&find_record(node.launch, needs_grid_position));
    if node.record.is_none() {
        text.push_str("    aw_record = aw_index;\n");
    }
    text.push_str(
        "    aw_me = aw_local_index;
    aw_input = aw_stage.input_base + aw_index * aw_stage.input_stride;
",
    );
    if matches!(node.launch, Launch::Coalescing { .. }) {
        text.push_str("    aw_count = aw_input_count;\n");
    }
    if is_tracked {
        text.push_str("    aw_groups = aw_grid.x * aw_grid.y * aw_grid.z;\n");
    }
    let values: Vec<_> = arguments.iter().map(|argument| argument.value).collect();
    let values = values
        .join(", ")
        .replace("$SIZE", &format!("{x}u, {y}u, {z}u"));
    let _ = writeln!(text, "    {function}({values});");
    if options.checked {
        text.push_str(
            "    let aw_left = aw_still_open();
    if aw_left > 0u { aw_fault(aw_rule_incomplete, aw_none, aw_left, 0u); }
",
        );
    }
    // If a workgroup of a grid does not finish, no workgroup is the last.
    if options.checked && is_tracked {
        text.push_str(
            "    if aw_finished == 0u && aw_me == 0u { aw_fault(aw_rule_never_finished, aw_none, 0u, 1u); }\n",
        );
    }
    text.push_str("}\n");
    text
}

/// Declares `aw_index`, the first record, and `aw_input_count`; and, if needed, the workgroup's
/// position `aw_group_id` in its grid `aw_grid`. All of them derive from memory that no workgroup
/// writes, so that compilers can prove that they are uniform.
fn find_record(launch: Launch, needs_grid_position: bool) -> String {
    let leave = "    if aw_linear >= aw_units { return; }\n";
    let alone = "    let aw_group_id = vec3<u32>(0u);\n    let aw_grid = vec3<u32>(1u);\n";
    let alone = if needs_grid_position { alone } else { "" };
    match launch {
        Launch::Thread => format!(
            "    let aw_unit = aw_linear * {THREAD_WORKGROUP}u + aw_local_index;\n    \
             if aw_unit >= aw_units {{ return; }}\n    \
             let aw_index = aw_plan[aw_at + aw_launch_origin] + aw_unit;\n    let aw_input_count = 1u;\n{alone}"
        ),
        Launch::Coalescing { .. } => format!(
            "{leave}    let aw_each = aw_plan[aw_at + aw_launch_per_unit];\n    \
             let aw_index = aw_plan[aw_at + aw_launch_origin] + aw_linear * aw_each;\n    \
             let aw_input_count = min(aw_each, aw_plan[aw_at + aw_launch_end] - aw_index);\n{alone}"
        ),
        Launch::Broadcasting { grid, .. } => {
            let record = match grid {
                Grid::Fixed(sides) => format!(
                    "    let aw_unit = aw_plan[aw_at + aw_launch_first] + aw_linear;\n    \
                     let aw_index = aw_plan[aw_at + aw_launch_origin] + aw_unit / {}u;\n",
                    sides.iter().product::<u32>()
                ),
                Grid::Dynamic { .. } => SEARCH.to_owned(),
            };
            let position = match needs_grid_position {
                true => grid_position(grid),
                false => String::new(),
            };
            format!("{leave}{record}    let aw_input_count = 1u;\n{position}")
        }
    }
}

/// Finds the record of a workgroup of a dynamic grid by binary search in the prefix sums; the guide
/// has the record itself or both bounds of the search.
const SEARCH: &str = "\
    let aw_shift = aw_plan[aw_at + aw_launch_shift];
    let aw_guide = aw_stage.guide + (aw_linear >> aw_shift);
    var aw_found = aw_plan[aw_guide];
    if aw_shift > 0u {
        var aw_last = aw_plan[aw_guide + 1u];
        while aw_found < aw_last {
            let aw_middle = (aw_found + aw_last + 1u) / 2u;
            if aw_plan[aw_stage.begins + 2u * aw_middle] > aw_linear { aw_last = aw_middle - 1u; } else { aw_found = aw_middle; }
        }
    }
    let aw_index = aw_found;
";

/// The workgroup's position in its grid. Dimensions that are always one are not computed, which
/// saves time in interpreters.
fn grid_position(grid: Grid) -> String {
    let mut text = match grid {
        Grid::Fixed([x, y, z]) => format!(
            "    let aw_within = aw_unit % {}u;\n    let aw_grid = vec3<u32>({x}u, {y}u, {z}u);\n",
            x * y * z
        ),
        Grid::Dynamic { max } => {
            let (y, z) = match max {
                [_, 1, 1] => ("1u", "1u"),
                [_, _, 1] => ("aw_sides >> 16u", "1u"),
                _ => (
                    "aw_sides >> 16u",
                    "(aw_plan[aw_begin + 2u] - aw_plan[aw_begin]) / ((aw_sides & 0xffffu) * (aw_sides >> 16u))",
                ),
            };
            format!(
                "    let aw_begin = aw_stage.begins + 2u * aw_index;
    let aw_within = aw_linear - aw_plan[aw_begin];
    let aw_sides = aw_plan[aw_begin + 1u];
    let aw_grid = vec3<u32>(aw_sides & 0xffffu, {y}, {z});
"
            )
        }
    };
    text.push_str(match grid.max() {
        [_, 1, 1] => "    let aw_group_id = vec3<u32>(aw_within, 0u, 0u);\n",
        [_, _, 1] => "    let aw_group_id = vec3<u32>(aw_within % aw_grid.x, aw_within / aw_grid.x, 0u);\n",
        _ => "    let aw_group_id = vec3<u32>(aw_within % aw_grid.x, aw_within / aw_grid.x % aw_grid.y, aw_within / (aw_grid.x * aw_grid.y));\n",
    });
    text
}

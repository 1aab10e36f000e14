//! The entry point around a node's function.
//!
//! In: a node and the arguments that its function asks for. Out: WGSL that finds out which record and
//! which workgroup of its grid is meant, and calls the function. Values that a workgroup shares are
//! passed as arguments, since compilers know those as uniform.

use std::fmt::Write;

use crate::model::{Access, Grid, Launch, Resolved};
use crate::plan::THREAD_WORKGROUP;

use super::{CodeOptions, ENTRY_POINT};

/// An argument that a node's function may ask for, by name.
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) is_vector: bool,
    value: &'static str,
}

/// Every argument there is.
pub(super) const ARGUMENTS: [Argument; 6] = [
    Argument {
        name: "group_id",
        is_vector: true,
        value: "aw_group_id",
    },
    Argument {
        name: "grid",
        is_vector: true,
        value: "aw_grid",
    },
    Argument {
        name: "local_id",
        is_vector: true,
        value: "aw_local_id",
    },
    Argument {
        name: "global_id",
        is_vector: true,
        value: "(aw_group_id * aw_size + aw_local_id)",
    },
    Argument {
        name: "local_index",
        is_vector: false,
        value: "aw_local_index",
    },
    Argument {
        name: "input_count",
        is_vector: false,
        value: "aw_input_count",
    },
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
    node: &Resolved,
    function: &str,
    arguments: &[&Argument],
    options: CodeOptions,
) -> String {
    let [x, y, z] = workgroup_size(node.launch);
    let is_dynamic = matches!(
        node.launch,
        Launch::Broadcasting {
            grid: Grid::Dynamic { .. },
            ..
        }
    );
    let searching = if is_dynamic { SEARCH } else { "" };
    let mut text = format!(
        "\
{searching}@compute @workgroup_size({x}, {y}, {z})
fn {ENTRY_POINT}(
    @builtin(workgroup_id) aw_workgroup: vec3<u32>,
    @builtin(local_invocation_id) aw_local_id: vec3<u32>,
    @builtin(local_invocation_index) aw_local_index: u32,
) {{
    let aw_size = vec3<u32>({x}u, {y}u, {z}u);
    let aw_at = aw_stage.launch;
    let aw_linear = aw_workgroup.y * aw_plan[aw_at + aw_launch_x] + aw_workgroup.x;
    let aw_units = aw_plan[aw_at + aw_launch_units];
    let aw_origin = aw_plan[aw_at + aw_launch_origin];
"
    );
    text.push_str(&find(node.launch));
    text.push_str(
        "    aw_me = aw_local_index;
    aw_count = aw_input_count;
    aw_record = aw_index;
    aw_input = aw_stage.input_base + aw_index * aw_stage.input_stride;
",
    );
    if node.access == Access::Tracked {
        text.push_str("    aw_groups = aw_grid.x * aw_grid.y * aw_grid.z;\n");
    }
    let values: Vec<_> = arguments.iter().map(|argument| argument.value).collect();
    let _ = writeln!(text, "    {function}({});", values.join(", "));
    if options.checked {
        text.push_str(
            "    let aw_left = aw_still_open();
    if aw_left > 0u { aw_fault(aw_rule_incomplete, aw_none, aw_left, 0u); }
",
        );
    }
    // Without all workgroups of its grid, none is the last.
    if options.checked && node.access == Access::Tracked {
        text.push_str(
            "    if aw_finished == 0u && aw_me == 0u { aw_fault(aw_rule_never_finished, aw_none, 0u, 1u); }\n",
        );
    }
    text.push_str("}\n");
    text
}

/// Declares `aw_index`, the first record, `aw_input_count`, `aw_group_id` and `aw_grid`.
fn find(launch: Launch) -> String {
    let leave = "    if aw_linear >= aw_units { return; }\n";
    let alone = "    let aw_group_id = vec3<u32>(0u);\n    let aw_grid = vec3<u32>(1u);\n";
    match launch {
        Launch::Thread => format!(
            "    let aw_unit = aw_linear * {THREAD_WORKGROUP}u + aw_local_index;\n    \
             if aw_unit >= aw_units {{ return; }}\n    \
             let aw_index = aw_origin + aw_unit;\n    let aw_input_count = 1u;\n{alone}"
        ),
        Launch::Coalescing { .. } => format!(
            "{leave}    let aw_each = aw_plan[aw_at + aw_launch_per_unit];\n    \
             let aw_index = aw_origin + aw_linear * aw_each;\n    \
             let aw_input_count = min(aw_each, aw_plan[aw_at + aw_launch_end] - aw_index);\n{alone}"
        ),
        Launch::Broadcasting {
            grid,
            workgroup_size,
        } => match grid {
            Grid::Fixed([x, y, z]) => format!(
                "{leave}    let aw_unit = aw_plan[aw_at + aw_launch_first] + aw_linear;\n    \
                 let aw_grid = vec3<u32>({x}u, {y}u, {z}u);\n    \
                 let aw_index = aw_origin + aw_unit / {all}u;\n    let aw_within = aw_unit % {all}u;\n{GROUP_ID}",
                all = x * y * z
            ),
            Grid::Dynamic { .. } => format!("{leave}{}{GROUP_ID}", search(workgroup_size)),
        },
    }
}

const GROUP_ID: &str = "    let aw_input_count = 1u;
    let aw_group_id = vec3<u32>(aw_within % aw_grid.x, aw_within / aw_grid.x % aw_grid.y, aw_within / (aw_grid.x * aw_grid.y));
";

/// The record to which a workgroup belongs. One invocation looks for it and tells the others.
fn search(workgroup_size: [u32; 3]) -> String {
    let look = match workgroup_size {
        [1, 1, 1] => "    let aw_place = aw_search(aw_linear);\n",
        _ => {
            "    if aw_local_index == 0u { aw_found = aw_search(aw_linear); }
    let aw_place = workgroupUniformLoad(&aw_found);
"
        }
    };
    format!(
        "\
{look}    let aw_index = aw_origin + aw_place.x;
    let aw_within = aw_place.y;
    let aw_grid_x = aw_place.w & 0xffffu;
    let aw_grid_y = aw_place.w >> 16u;
    let aw_grid = vec3<u32>(aw_grid_x, aw_grid_y, aw_place.z / (aw_grid_x * aw_grid_y));
"
    )
}

/// A function that finds the record of a workgroup, between two words of the guide: the record, counted
/// from the first that is left, which workgroup of its grid it is, how many there are, and two sides of
/// the grid.
const SEARCH: &str = "\
var<workgroup> aw_found: vec4<u32>;
fn aw_search(linear: u32) -> vec4<u32> {
    let unit = aw_plan[aw_stage.launch + aw_launch_first] + linear;
    let guide = aw_stage.guide + (unit >> aw_plan[aw_stage.launch + aw_launch_shift]);
    var record = aw_plan[guide];
    var last = aw_plan[guide + 1u];
    while record < last {
        let middle = (record + last) / 2u;
        if aw_plan[aw_stage.ends + 2u * middle] > unit { last = middle; } else { record = middle + 1u; }
    }
    let at = aw_stage.ends + 2u * record;
    var before = 0u;
    if record > 0u { before = aw_plan[at - 2u]; }
    return vec4<u32>(record, unit - before, aw_plan[at] - before, aw_plan[at + 1u]);
}
";

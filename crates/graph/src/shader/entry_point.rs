//! Generates the entry point that calls a node's function.
//!
//! In: a node and the parameters of its function. Out: WGSL that computes the record and the
//! workgroup's position in its grid, and calls the function. Values that a workgroup shares are
//! passed as arguments, because compilers can prove that these are uniform: they derive from memory
//! that no workgroup writes. The workgroup of a dynamic grid finds its record by binary search in
//! the prefix sums; the guide has the record itself or both bounds of the search.

use crate::model::{Grid, InputAccess, Launch, ResolvedNode};
use crate::plan::THREAD_WORKGROUP;

use super::template::Template;
use super::{ENTRY_POINT, ShaderOptions};

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

pub(super) fn write(
    node: &ResolvedNode,
    function: &str,
    arguments: &[&Argument],
    options: ShaderOptions,
) -> String {
    let [x, y, z] = if node.launch == Launch::Thread {
        [THREAD_WORKGROUP, 1, 1]
    } else {
        node.launch.workgroup_size()
    };
    let grid = node.launch.grid();
    let [grid_x, grid_y, grid_z] = grid.map_or([1; 3], Grid::max);
    let is_tracked = node.access == InputAccess::Tracked;
    let needs_position = is_tracked
        || arguments
            .iter()
            .any(|argument| argument.needs_grid_position);
    let values: Vec<_> = arguments.iter().map(|argument| argument.value).collect();
    let size = format!("{x}u, {y}u, {z}u");
    // Dimensions of a grid that are always one are not computed, which saves time in interpreters.
    Template::new(include_str!("templates/entry_point.wgsl"))
        .flag("thread", node.launch == Launch::Thread)
        .flag(
            "coalescing",
            matches!(node.launch, Launch::Coalescing { .. }),
        )
        .flag("no_grid", grid.is_none())
        .flag("fixed_grid", matches!(grid, Some(Grid::Fixed(_))))
        .flag("dynamic_grid", matches!(grid, Some(Grid::Dynamic { .. })))
        .flag("grid_1d", grid.is_some() && grid_y == 1 && grid_z == 1)
        .flag("grid_2d", grid.is_some() && grid_y != 1 && grid_z == 1)
        .flag("grid_3d", grid.is_some() && grid_z != 1)
        .flag("position", needs_position)
        .flag("empty", node.record.is_none())
        .flag("tracked", is_tracked)
        .flag("checked", options.checked)
        .value("ENTRYPOINT", ENTRY_POINT)
        .value("X", x)
        .value("Y", y)
        .value("Z", z)
        .value(
            "GROUPS",
            u64::from(grid_x) * u64::from(grid_y) * u64::from(grid_z),
        )
        .value("GRIDX", grid_x)
        .value("GRIDY", grid_y)
        .value("GRIDZ", grid_z)
        .value("FUNCTION", function)
        .value("ARGUMENTS", values.join(", ").replace("$SIZE", &size))
        .render()
}

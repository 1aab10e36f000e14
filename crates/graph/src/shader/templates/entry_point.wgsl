@compute @workgroup_size($X, $Y, $Z)
fn $ENTRYPOINT(
    @builtin(workgroup_id) aw_workgroup: vec3<u32>,
    @builtin(local_invocation_id) aw_local_id: vec3<u32>,
    @builtin(local_invocation_index) aw_local_index: u32,
) {
    let aw_at = aw_stage.launch;
    let aw_linear = aw_workgroup.y * aw_plan[aw_at + aw_launch_x] + aw_workgroup.x;
    let aw_units = aw_plan[aw_at + aw_launch_units];
//: if thread
    let aw_unit = aw_linear * $Xu + aw_local_index;
    if aw_unit >= aw_units { return; }
    let aw_index = aw_plan[aw_at + aw_launch_origin] + aw_unit;
    let aw_input_count = 1u;
//: else
    if aw_linear >= aw_units { return; }
//: end
//: if coalescing
    let aw_each = aw_plan[aw_at + aw_launch_per_unit];
    let aw_index = aw_plan[aw_at + aw_launch_origin] + aw_linear * aw_each;
    let aw_input_count = min(aw_each, aw_plan[aw_at + aw_launch_end] - aw_index);
//: end
//: if fixed_grid
    let aw_unit = aw_plan[aw_at + aw_launch_first] + aw_linear;
    let aw_index = aw_plan[aw_at + aw_launch_origin] + aw_unit / $GROUPSu;
    let aw_input_count = 1u;
//: if position
    let aw_within = aw_unit % $GROUPSu;
    let aw_grid = vec3<u32>($GRIDXu, $GRIDYu, $GRIDZu);
//: end
//: end
//: if dynamic_grid
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
    let aw_input_count = 1u;
//: if position
    let aw_begin = aw_stage.begins + 2u * aw_index;
    let aw_within = aw_linear - aw_plan[aw_begin];
    let aw_sides = aw_plan[aw_begin + 1u];
//: if grid_1d
    let aw_grid = vec3<u32>(aw_sides & 0xffffu, 1u, 1u);
//: end
//: if grid_2d
    let aw_grid = vec3<u32>(aw_sides & 0xffffu, aw_sides >> 16u, 1u);
//: end
//: if grid_3d
    let aw_grid = vec3<u32>(aw_sides & 0xffffu, aw_sides >> 16u, (aw_plan[aw_begin + 2u] - aw_plan[aw_begin]) / ((aw_sides & 0xffffu) * (aw_sides >> 16u)));
//: end
//: end
//: end
//: if position
//: if grid_1d
    let aw_group_id = vec3<u32>(aw_within, 0u, 0u);
//: end
//: if grid_2d
    let aw_group_id = vec3<u32>(aw_within % aw_grid.x, aw_within / aw_grid.x, 0u);
//: end
//: if grid_3d
    let aw_group_id = vec3<u32>(aw_within % aw_grid.x, aw_within / aw_grid.x % aw_grid.y, aw_within / (aw_grid.x * aw_grid.y));
//: end
//: if no_grid
    let aw_group_id = vec3<u32>(0u);
    let aw_grid = vec3<u32>(1u);
//: end
//: end
//: if empty
    aw_record = aw_index;
//: end
    aw_me = aw_local_index;
    aw_input = aw_stage.input_base + aw_index * aw_stage.input_stride;
//: if coalescing
    aw_count = aw_input_count;
//: end
//: if tracked
    aw_groups = aw_grid.x * aw_grid.y * aw_grid.z;
//: end
    $FUNCTION($ARGUMENTS);
//: if checked
    let aw_left = aw_still_open();
    if aw_left > 0u { aw_fault(aw_rule_incomplete, aw_none, aw_left, 0u); }
//: if tracked
    if aw_finished == 0u && aw_me == 0u { aw_fault(aw_rule_never_finished, aw_none, 0u, 1u); }
//: end
//: end
}

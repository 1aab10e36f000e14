fn input_count() -> u32 {
//: if coalescing
    return aw_count;
//: else
    return 1u;
//: end
}
fn remaining_recursion_levels() -> u32 {
    return aw_stage.remaining;
}
fn local_argument_u32(i: u32) -> u32 {
    if i >= aw_stage.local_words { $REPORTreturn u32(); }
    return bitcast<u32>(aw_plan[aw_stage.local_arguments + i]);
}
fn local_argument_i32(i: u32) -> i32 {
    if i >= aw_stage.local_words { $REPORTreturn i32(); }
    return bitcast<i32>(aw_plan[aw_stage.local_arguments + i]);
}
fn local_argument_f32(i: u32) -> f32 {
    if i >= aw_stage.local_words { $REPORTreturn f32(); }
    return bitcast<f32>(aw_plan[aw_stage.local_arguments + i]);
}
//: if tracked
//: if checked
var<private> aw_finished: u32;
var<private> aw_is_gone: bool;
//: end
fn finished_cross_group_sharing() -> bool {
//: if checked
    if aw_finished > 0u && aw_me == 0u { aw_fault(aw_rule_finished_twice, aw_none, aw_finished + 1u, 1u); }
    aw_finished += 1u;
//: end
    storageBarrier();
    if aw_me == 0u {
        let before = atomicAdd(&aw_arena[aw_input + aw_stage.input_stride - 1u], 1u);
        aw_is_last = select(0u, 1u, before + 1u == aw_groups);
    }
    storageBarrier();
    let is_last = workgroupUniformLoad(&aw_is_last) == 1u;
//: if checked
    aw_is_gone = !is_last;
//: end
    return is_last;
}
//: end

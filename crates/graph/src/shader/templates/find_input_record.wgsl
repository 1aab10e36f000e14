//: if coalescing
//: if checked
    if i >= aw_count { aw_fault(aw_rule_input_index, aw_none, i, aw_count); $RETURN }
//: else
    if i >= aw_count { $RETURN }
//: end
    let aw_at = aw_input + i * aw_stage.input_stride;
//: else
//: if released
    if aw_is_gone { aw_fault(aw_rule_after_finished, aw_none, 0u, 0u); $RETURN }
//: end
    let aw_at = aw_input;
//: end

//: if checked
    if i >= records.count { if records.first != aw_none { aw_fault(aw_rule_output_index, $NUMBERu, i, records.count); } $RETURN }
    if !aw_is_open(records.id) { aw_fault(aw_rule_after_complete, $NUMBERu, i, 0u); $RETURN }
//: else
    if i >= records.count { $RETURN }
//: end
    let aw_at = records.first + i * records.stride;

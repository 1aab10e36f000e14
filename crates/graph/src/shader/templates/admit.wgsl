    if count == 0u { $REFUSE }
    let target_at = aw_target_$NAME($INDEX);
    if target_at == aw_none { aw_fault(aw_rule_hole, $NUMBERu, $FOUND, $MEMBERSu); $REFUSE }
    if !aw_spend_$BUDGET(count, $NUMBERu) { $REFUSE }
    let first = aw_take(target_at, $NUMBERu, count);

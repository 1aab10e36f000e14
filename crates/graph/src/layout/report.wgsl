// Writes down that a rule was broken. Needs `aw_control`; every caller passes its own stage.
fn aw_report(rule: u32, stage: u32, record: u32, output: u32, found: u32, allowed: u32) {
    let index = atomicAdd(&aw_control[aw_header_faults], 1u);
    if index >= aw_max_faults {
        return;
    }
    let at = aw_faults + index * aw_fault_words;
    atomicStore(&aw_control[at + aw_fault_rule], rule);
    atomicStore(&aw_control[at + aw_fault_stage], stage);
    atomicStore(&aw_control[at + aw_fault_record], record);
    atomicStore(&aw_control[at + aw_fault_output], output);
    atomicStore(&aw_control[at + aw_fault_found], found);
    atomicStore(&aw_control[at + aw_fault_allowed], allowed);
}

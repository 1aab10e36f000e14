// Takes places in a queue: the number of the first.
fn aw_take(at: u32, output: u32, count: u32) -> u32 {
    let first = atomicAdd(&aw_control[aw_plan[at + aw_target_tail]], count);
    let capacity = aw_plan[at + aw_target_capacity];
    if first > capacity || count > capacity - first {
        aw_fault(aw_rule_overflow, output, first + count, capacity);
        return aw_none;
    }
//: if counts
    let sent = atomicAdd(&aw_control[aw_stage.counts + aw_counts_records_out], count);
    if sent + count < sent { atomicAdd(&aw_control[aw_stage.counts + aw_counts_records_out_high], 1u); }
//: end
    return first;
}

//: if checked
struct Records_$NAME { first: u32, stride: u32, count: u32, id: u32 }
//: else
struct Records_$NAME { first: u32, stride: u32, count: u32 }
//: end
fn aw_alloc_$NAME($PARAMETERcount: u32) -> Records_$NAME {
$ADMIT
    if first == aw_none { $REFUSE }
    let stride = aw_plan[target_at + aw_target_stride];
    let at = aw_plan[target_at + aw_target_base] + first * stride;
//: if checked
    for (var i = 0u; i < count * stride; i++) { aw_store(at + i, 0u); }
    return Records_$NAME(at, stride, count, aw_none);
//: else
//: if counter
    if stride > $WORDSu {
        for (var i = 0u; i < count; i++) { aw_store(at + i * stride + $WORDSu, 0u); }
    }
//: end
    return Records_$NAME(at, stride, count);
//: end
}
fn alloc_thread_$NAME($PARAMETERcount: u32) -> Records_$NAME {
//: if checked
    var records = aw_alloc_$NAME($ARGUMENTcount);
    if records.count > 0u { records.id = aw_opened(); }
//: else
    let records = aw_alloc_$NAME($ARGUMENTcount);
//: end
    return records;
}
//: if group
var<workgroup> aw_group_$NAME: Records_$NAME;
fn alloc_group_$NAME($PARAMETERcount: u32) -> Records_$NAME {
$AGREE
    if aw_me == 0u { aw_group_$NAME = aw_alloc_$NAME($ARGUMENTcount); }
//: if checked
    storageBarrier();
    var records = workgroupUniformLoad(&aw_group_$NAME);
    if records.count > 0u { records.id = aw_opened(); }
//: else
    let records = workgroupUniformLoad(&aw_group_$NAME);
//: end
    return records;
}
//: end
fn complete_$NAME(records: Records_$NAME) {
//: if checked
    if records.count > 0u && !aw_closed(records.id) { aw_fault(aw_rule_completed_twice, $NUMBERu, 0u, 0u); }
//: else
    _ = records.first;
//: end
}

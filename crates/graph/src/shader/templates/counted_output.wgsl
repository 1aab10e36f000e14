fn count_thread_$NAME($PARAMETERcount: u32) {
$ADMIT
    _ = first;
}
//: if group
fn count_group_$NAME($PARAMETERcount: u32) {
$AGREE
    if aw_me == 0u { count_thread_$NAME($ARGUMENTcount); }
}
//: end

//: if array
fn aw_target_$NAME(index: u32) -> u32 {
    if index >= $MEMBERSu { return aw_none; }
    let at = aw_stage.targets + $OFFSETu + index * $WORDSu;
//: else
fn aw_target_$NAME() -> u32 {
    let at = aw_stage.targets + $OFFSETu;
//: end
    return select(at, aw_none, aw_plan[at + $TAILu] == aw_none);
}
fn is_valid_$NAME($INDEXPARAMETER) -> bool {
    return aw_target_$NAME($INDEX) != aw_none;
}

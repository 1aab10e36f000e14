@group($GROUP) @binding(0) var<storage, read> aw_plan: array<u32>;
//: if atomic
@group($GROUP) @binding(1) var<storage, read_write> aw_arena: array<atomic<u32>>;
//: else
@group($GROUP) @binding(1) var<storage, read_write> aw_arena: array<u32>;
//: end
@group($GROUP) @binding(2) var<storage, read_write> aw_control: array<atomic<u32>>;
@group($GROUP) @binding(3) var<uniform> aw_stage: AwStage;
var<private> aw_me: u32;
var<private> aw_input: u32;
var<private> aw_record: u32;
var<private> aw_count: u32;
var<private> aw_groups: u32;
var<workgroup> aw_agreed: u32;
var<workgroup> aw_is_last: u32;
fn aw_fault(rule: u32, output: u32, found: u32, allowed: u32) {
//: if empty
    aw_report(rule, aw_stage.stage, aw_record, output, found, allowed);
//: else
    aw_report(rule, aw_stage.stage, (aw_input - aw_stage.input_base) / aw_stage.input_stride, output, found, allowed);
//: end
}

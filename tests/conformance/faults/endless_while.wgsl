// A while loop that never ends in one invocation of many is stopped too.
//: in  0:0 u32 0 0 1 0
//: fails "endless loop"
@group(0) @binding(0) var<storage, read> stuck: array<u32>;

var<private> turns: u32;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    while stuck[i] == 1u {
        turns++;
    }
}

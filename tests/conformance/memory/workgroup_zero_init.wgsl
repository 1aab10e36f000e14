// Workgroup variables are zero at the start of every workgroup, whatever the last one left there.
//: workgroups 4
//: out 0:0 u32 0*16
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

var<workgroup> shared_words: array<u32, 4>;
var<workgroup> flag: bool;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) id: vec3u) {
    out[id.x] = shared_words[i] + u32(flag);
    workgroupBarrier();
    shared_words[i] = 99u;
    if i == 0u {
        flag = true;
    }
}

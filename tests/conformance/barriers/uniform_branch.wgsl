// A barrier may stand under a condition that is the same for the whole workgroup.
//: workgroups 2
//: in  0:0 u32 1 0*3
//: out 0:1 u32 4 3 2 1   0 0 0 0
@group(0) @binding(0) var<uniform> enabled: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<workgroup> copy: array<u32, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
    if enabled[group.x] == 1u {
        copy[i] = i + 1u;
        workgroupBarrier();
        out[group.x * 4u + i] = copy[3u - i];
    }
}

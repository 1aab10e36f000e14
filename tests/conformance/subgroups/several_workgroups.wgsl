// Every workgroup has its own subgroups.
//: needs subgroups
//: subgroup-size 8
//: workgroups 3
//: out 0:0 u32 12 0 12 0 12 0 12 0 0 48 0 48 0 48 0 48 76 0 76 0 76 0 76 0
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if id.x % 2u == group.x % 2u {
        out[id.x] = subgroupAdd(id.x);
    }
}

// Builtins may come as members of a struct argument, next to plain ones.
//: workgroups 2
//: out 0:0 u32 0 1 12 13
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

struct Ids {
    @builtin(workgroup_id) group: vec3u,
    @builtin(global_invocation_id) global: vec3u,
}

@compute @workgroup_size(2)
fn main(ids: Ids, @builtin(local_invocation_index) i: u32) {
    out[ids.group.x * 2u + i] = ids.group.x * 10u + ids.global.x;
}

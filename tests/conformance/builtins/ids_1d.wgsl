// The ids of a one-dimensional dispatch.
//: workgroups 3
//: out 0:0 u32 0 0 0  0 1 1  1 0 10  1 1 11  2 0 20  2 1 21
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(2)
fn main(
    @builtin(global_invocation_id) global: vec3u,
    @builtin(local_invocation_id) local: vec3u,
    @builtin(workgroup_id) group: vec3u,
) {
    let at = global.x * 3u;
    out[at] = group.x;
    out[at + 1u] = local.x;
    out[at + 2u] = group.x * 10u + local.x;
}

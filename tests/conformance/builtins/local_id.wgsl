// The local id counts inside the workgroup, whatever the workgroup.
//: workgroups 2,2
//: out 0:0 u32 4*6
@group(0) @binding(0) var<storage, read_write> count: array<atomic<u32>, 6>;

@compute @workgroup_size(3, 2)
fn main(@builtin(local_invocation_id) local: vec3u) {
    atomicAdd(&count[local.x + 3u * local.y + 100u * local.z], 1u);
}

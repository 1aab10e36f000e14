// num_workgroups is the size of the dispatch, the same for all.
//: workgroups 3,2,4
//: out 0:0 u32 3 2 4 24
@group(0) @binding(0) var<storage, read_write> out: Out;

struct Out {
    x: u32,
    y: u32,
    z: u32,
    agreed: atomic<u32>,
}

@compute @workgroup_size(1)
fn main(@builtin(num_workgroups) count: vec3u, @builtin(workgroup_id) group: vec3u) {
    if all(group == vec3(2u, 1u, 3u)) {
        out.x = count.x;
        out.y = count.y;
        out.z = count.z;
    }
    if all(count == vec3(3u, 2u, 4u)) {
        atomicAdd(&out.agreed, 1u);
    }
}

// A tree reduction in workgroup memory with a barrier in each pass.
//: workgroups 2
//: in  0:0 u32 1 2 3 4 5 6 7 8   10 20 30 40 50 60 70 80
//: out 0:1 u32 36 360
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<workgroup> sums: array<u32, 8>;

@compute @workgroup_size(8)
fn main(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(local_invocation_index) i: u32,
    @builtin(workgroup_id) group: vec3u,
) {
    sums[i] = a[id.x];
    workgroupBarrier();
    for (var width = 4u; width > 0u; width >>= 1u) {
        if i < width {
            sums[i] += sums[i + width];
        }
        workgroupBarrier();
    }
    if i == 0u {
        out[group.x] = sums[0];
    }
}

// Sum of 16 Mi floats with a grid stride: all invocations of the grid take turns over the whole array.
@group(0) @binding(0) var<storage, read> numbers: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> partial: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let stride = groups.x * 256u;
    var sum = 0.0;
    for (var i = id.x; i < arrayLength(&numbers); i += stride) {
        sum += numbers[i];
    }
    partial[lane] = sum;
    workgroupBarrier();
    for (var width = 128u; width > 0u; width /= 2u) {
        if (lane < width) {
            partial[lane] += partial[lane + width];
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        sums[group.x] = partial[0];
    }
}

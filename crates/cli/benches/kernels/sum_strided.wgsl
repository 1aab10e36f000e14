// Sum of 16 Mi floats: each workgroup sums a chunk, its 64 invocations every 64th element of it.
@group(0) @binding(0) var<storage, read> numbers: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

const CHUNK: u32 = 16384u;

var<workgroup> partial: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let start = group.x * CHUNK;
    let end = min(start + CHUNK, arrayLength(&numbers));
    var sum = 0.0;
    for (var i = start + lane; i < end; i += 64u) {
        sum += numbers[i];
    }
    partial[lane] = sum;
    workgroupBarrier();
    for (var width = 32u; width > 0u; width /= 2u) {
        if (lane < width) {
            partial[lane] += partial[lane + width];
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        sums[group.x] = partial[0];
    }
}

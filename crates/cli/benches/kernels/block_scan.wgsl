// Inclusive prefix sums of blocks of 256 numbers after Hillis and Steele, and the total of each block.
@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

var<workgroup> block: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    block[lane] = numbers[id.x];
    workgroupBarrier();
    for (var offset = 1u; offset < 256u; offset *= 2u) {
        var sum = block[lane];
        if (lane >= offset) {
            sum += block[lane - offset];
        }
        workgroupBarrier();
        block[lane] = sum;
        workgroupBarrier();
    }
    sums[id.x] = block[lane];
    if (lane == 255u) {
        totals[group.x] = block[lane];
    }
}

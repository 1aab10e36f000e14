// Adds to each block of 256 prefix sums the sum of all blocks before it.
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
@group(0) @binding(1) var<storage, read> totals: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let block = i / 256u;
    if (block == 0u) {
        return;
    }
    sums[i] += totals[block - 1u];
}

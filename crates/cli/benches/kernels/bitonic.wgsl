// One pass of a bitonic sort: compares and exchanges keys at a distance, in blocks that alternately rise and fall.
struct Params {
    block: u32,
    distance: u32,
}

@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let t = id.x;
    let j = params.distance;
    let i = (t / j) * 2u * j + t % j;
    let rises = (i & params.block) == 0u;
    let a = keys[i];
    let b = keys[i + j];
    if ((a > b) == rises) {
        keys[i] = b;
        keys[i + j] = a;
    }
}

// Overrides, workgroup memory, barriers, loops and pointers.
override tile_size: u32 = 8;
@id(3) override factor: f32 = 0.5;
const limit = 3 + 4 * 2;

struct Matrix { rows: u32, columns: u32, @align(16) values: array<f32> }
struct Params { size: vec2<u32>, scale: mat2x2<f32> }

@group(0) @binding(0) var<storage, read> input: Matrix;
@group(0) @binding(1) var<storage, read_write> output: Matrix;
@group(1) @binding(0) var<uniform> params: Params;
var<workgroup> tile: array<f32, tile_size * tile_size>;
var<workgroup> count: atomic<u32>;
var<private> seen: array<i32, 4>;
var<immediate> step: i32;

fn bump(p: ptr<function, f32>, by: f32) { *p += by; }

fn weight(kind: i32) -> f32 {
    switch kind {
        case 0, 1: { return 1.0; }
        case 2: { return -2.5e-3; }
        default: { return f32(kind & 0xff) / 16.0; }
    }
}

@compute @workgroup_size(tile_size, tile_size, 1)
fn main(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let at = local.y * tile_size + local.x;
    tile[at] = input.values[at];
    workgroupBarrier();
    var sum = 0.0;
    for (var i = 0u; i < limit; i++) {
        if (i % 2 == 1 && at != i) || i >= 7 { continue; } else if i == 5 { break; }
        bump(&sum, tile[(at + i) % (tile_size * tile_size)] * weight(i32(i)) * factor);
    }
    loop {
        sum *= 0.5;
        continuing { sum -= 1.0; break if sum < 1.0; }
    }
    seen[at % 4u] = select(step, ~step << 2u, sum > 0.0);
    _ = atomicAdd(&count, 1u);
    let scaled = params.scale * vec2<f32>(sum, f32(seen[0]));
    output.values[at] = dot(scaled, vec2(1.0, -1.0)) + length(scaled.yx);
}

override n: u32 = 16;
override m: i32 = 4;
struct S { a: vec3<f32>, b: u32 }
var<workgroup> tile: array<f32, n>;
var<workgroup> wide: array<S, n * 2 + 1>;
var<workgroup> other: array<array<u32, 4>, m>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
fn fetch(i: u32) -> f32 { return tile[i]; }
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = f32(i);
    wide[i].b = i;
    other[i % 4][1] = i;
    workgroupBarrier();
    out[i] = fetch((i + 1u) % n) + f32(wide[i].b) + f32(other[1][1]);
}

override a: bool = true;
override b: i32 = -7;
@id(12) override c: u32 = 3;
override d: f32 = 1.5;
override e: f32;
override f: i32 = b * 2 + 1;
override g: f32 = d * 2.0;
override h: bool = b < 0 && a;
@id(0) override k: u32 = c << 2u;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
fn twice(x: f32) -> f32 { var r = d; r += x; return r; }
@compute @workgroup_size(1) fn main() {
    if a { out[0] = f32(b); }
    out[1] = f32(c) + twice(d) + e;
    out[2] = f32(f) + g;
    out[3] = select(0.0, 1.0, h);
    out[4] = f32(k);
    for (var i = 0u; i < c; i++) { var x = f32(c) * 2.0; x += 1.0; out[5] += x; }
}

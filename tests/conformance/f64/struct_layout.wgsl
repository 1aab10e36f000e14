// f64 is aligned to 8 bytes, vec2<f64> to 16, vec3<f64> to 32.
//: needs f64
//: in  0:0 f32 1 u32 _ f64 2 3 4 u32 5 _ _*6 f64 6 7 8 u32 9 _
//: out 0:1 f32 1 u32 0 f64 2 3 4 u32 5 0 0*6 f64 6 7 8 u32 9 0
//: out 0:2 f64 2 4 8 14
struct Mixed {
    a: f32,
    b: f64,
    c: vec2<f64>,
    d: u32,
    e: vec3<f64>,
    f: u32,
}

@group(0) @binding(0) var<storage, read> m: Mixed;
@group(0) @binding(1) var<storage, read_write> copy: Mixed;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(1)
fn main() {
    copy = m;
    out[0] = m.b;
    out[1] = m.c.y;
    out[2] = m.e.z;
    out[3] = f64(m.d + m.f);
}

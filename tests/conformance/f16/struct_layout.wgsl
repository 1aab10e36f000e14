// A struct mixes f16 with other types: f16 takes 2 bytes, and what follows is aligned.
//: needs f16
//: in  0:0 f16 1 2 u32 3 f16 4 _ 5 6 7 8 9 10 f32 11 12
//: out 0:1 f16 1 2 u32 3 f16 4 0 5 6 7 8 9 10 f32 11 12
//: out 0:2 f32 1 2 4 6 9 10 12 10
enable f16;

struct Mixed {
    a: f16,
    b: f16,
    c: u32,
    d: f16,
    e: vec2<f16>,
    f: vec3<f16>,
    g: f16,
    h: vec2<f32>,
}

@group(0) @binding(0) var<storage, read> m: Mixed;
@group(0) @binding(1) var<storage, read_write> copy: Mixed;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    copy = m;
    out[0] = f32(m.a);
    out[1] = f32(m.b);
    out[2] = f32(m.d);
    out[3] = f32(m.e.y);
    out[4] = f32(m.f.z);
    out[5] = f32(m.g);
    out[6] = m.h.y;
    var changed = m;
    changed.f.y += 1h;
    out[7] = f32(changed.f.y) + f32(changed.a);
}

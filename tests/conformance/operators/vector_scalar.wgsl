// A scalar operand of + - * / % is used for every component, on either side.
//: in  0:0 f32 1.0 -2.0 4.0
//: in  0:1 f32 2.0
//: out 0:2 f32 3.0 0.0 6.0      3.0 0.0 6.0
//::            -1.0 -4.0 2.0    1.0 4.0 -2.0
//::            2.0 -4.0 8.0     2.0 -4.0 8.0
//::            0.5 -1.0 2.0     2.0 -1.0 0.5
//::            1.0 -0.0|0.0 0.0 0.0 0.0 2.0
@group(0) @binding(0) var<storage, read> v: array<f32, 3>;
@group(0) @binding(1) var<storage, read> s: f32;
@group(0) @binding(2) var<storage, read_write> out: array<f32, 30>;

fn put(at: u32, v: vec3<f32>) {
    out[at * 3u] = v.x;
    out[at * 3u + 1u] = v.y;
    out[at * 3u + 2u] = v.z;
}

@compute @workgroup_size(1)
fn main() {
    let w = vec3(v[0], v[1], v[2]);
    put(0u, w + s);
    put(1u, s + w);
    put(2u, w - s);
    put(3u, s - w);
    put(4u, w * s);
    put(5u, s * w);
    put(6u, w / s);
    put(7u, s / w);
    put(8u, w % s);
    put(9u, s % w);
}

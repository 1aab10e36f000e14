// A vec3 is aligned to 16 bytes, and a scalar behind it fills the gap.
//: in  0:0 f32 1 2 3 u32 77 f32 4 5 6 u32 88 99 0*3
//: out 0:1 f32 1 2 3 4 5 6   u32 77 88 99
@group(0) @binding(0) var<storage, read> a: Outer;
@group(0) @binding(1) var<storage, read_write> out: Flat;

struct Outer {
    first: vec3<f32>,
    tag: u32,
    second: vec3<f32>,
    other: u32,
    last: u32,
}

struct Flat {
    floats: array<f32, 6>,
    words: array<u32, 3>,
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 3u; i++) {
        out.floats[i] = a.first[i];
        out.floats[3u + i] = a.second[i];
    }
    out.words = array(a.tag, a.other, a.last);
}

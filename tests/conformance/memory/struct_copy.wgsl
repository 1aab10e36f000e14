// Loading and storing a whole struct copies every member; what lies in the padding is free.
//: in  0:0 f32 1 2 3 u32 4 5 6 f32 7 8
//: out 0:1 f32 1 2 3 u32 4 5 _ f32 7 8
@group(0) @binding(0) var<storage, read> a: Mixed;
@group(0) @binding(1) var<storage, read_write> b: Mixed;

struct Mixed {
    v: vec3<f32>,
    n: u32,
    m: u32,
    w: vec2<f32>,
}

@compute @workgroup_size(1)
fn main() {
    let copy = a;
    b = copy;
}

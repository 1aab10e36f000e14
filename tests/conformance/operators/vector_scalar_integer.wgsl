// An integer scalar is used for every component; division by a zero scalar returns the dividend.
//: in  0:0 i32 7 -7 MIN 0
//: in  0:1 i32 0 -1
//: out 0:2 i32 7 -7 MIN 0   0 0 0 0   -7 7 MIN 0   0 0 0 0   6 -8 MAX -1
@group(0) @binding(0) var<storage, read> a: vec4<i32>;
@group(0) @binding(1) var<storage, read> s: vec2<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<i32>, 5>;

@compute @workgroup_size(1)
fn main() {
    out[0] = a / s.x;
    out[1] = a % s.x;
    out[2] = a / s.y;
    out[3] = a % s.y;
    out[4] = s.y + a;
}

// An override without a given value has its default; expressions of overrides follow.
//: out 0:0 u32 4 9 i32 -3 f32 0.5 u32 1
@group(0) @binding(0) var<storage, read_write> out: Out;

override n: u32 = 4u;
override derived = n * 2u + 1u;
override shift: i32 = -3;
override scale: f32 = 0.5;
override flag: bool = true;

struct Out {
    n: u32,
    derived: u32,
    shift: i32,
    scale: f32,
    flag: u32,
}

@compute @workgroup_size(1)
fn main() {
    out = Out(n, derived, shift, scale, u32(flag));
}

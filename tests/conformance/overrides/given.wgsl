// Given values replace defaults, by name or by id, also in expressions of other overrides.
//: constant n = 10
//: constant 7 = -2
//: constant scale = 0.25
//: constant flag = 0
//: out 0:0 u32 10 21 i32 -2 f32 0.25 u32 0
@group(0) @binding(0) var<storage, read_write> out: Out;

override n: u32 = 4u;
override derived = n * 2u + 1u;
@id(7) override shift: i32 = -3;
override scale: f32;
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

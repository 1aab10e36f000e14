// Literals without a suffix take the type that their context asks for.
//: in  0:0 f32 2
//: out 0:1 f32 6 0.5 3 u32 4294967295 i32 -5 u32 12
@group(0) @binding(0) var<storage, read> two: f32;
@group(0) @binding(1) var<storage, read_write> out: Out;

struct Out {
    product: f32,
    half: f32,
    third: f32,
    large: u32,
    negative: i32,
    mask: u32,
}

@compute @workgroup_size(1)
fn main() {
    let large: u32 = 4294967295;
    let negative: i32 = -5;
    out.product = two * 3;
    out.half = 1 / two;
    out.third = vec3(1, 2, 3).z + two - 2;
    out.large = large;
    out.negative = negative;
    out.mask = 0xF & 12;
}

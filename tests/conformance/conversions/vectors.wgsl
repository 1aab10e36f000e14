// Vector conversions and bitcasts work component by component.
//: in  0:0 f32 1.5 -2.5 1e10 -0.0
//: out 0:1 i32 1 -2 2147483520 0
//: out 0:2 u32 1 0 0xffffff00 0
//: out 0:3 u32 1 1 1 0
//: out 0:4 u32 0x3fc00000 0xc0200000 0x501502f9 0x80000000
//: out 0:5 f32 1.0 -2.0 2147483520 0.0
//: deviates lavapipe "the two conversions are folded into trunc" 0:5 f32 =*3 -0.0
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> signed: vec4<i32>;
@group(0) @binding(2) var<storage, read_write> unsigned: vec4<u32>;
@group(0) @binding(3) var<storage, read_write> truth: vec4<u32>;
@group(0) @binding(4) var<storage, read_write> raw: vec4<u32>;
@group(0) @binding(5) var<storage, read_write> floats: vec4<f32>;

@compute @workgroup_size(1)
fn main() {
    signed = vec4<i32>(a);
    unsigned = vec4<u32>(a);
    truth = vec4<u32>(vec4<bool>(a));
    raw = bitcast<vec4<u32>>(a);
    floats = vec4<f32>(vec4<i32>(a));
}

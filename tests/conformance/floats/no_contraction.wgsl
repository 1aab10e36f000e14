// A product that passes through bits on its way to a sum is rounded, whatever may be fused.
//: in  0:0 f32 1.0002441 0.1
//: in  0:1 f32 -1.0004883 -0.01
//: in  0:2 u32 0
//: out 0:3 f32 0.0 0x1p-30
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> zero: u32;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    let product = bitcast<f32>(bitcast<u32>(a[i] * a[i]) ^ zero);
    out[i] = product + b[i];
}

// radians multiplies by pi / 180.
//: in  0:0 f32 0.0 90.0 180.0 -45.0 1000000.0
//: out 0:1 f32 within RADIANS_ULP_3 0.0 1.57079632679 3.14159265359 -0.785398163397 17453.2925199
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = radians(a[i]);
}

// The arc tangent is within 4096 ULP.
//: in  0:0 f32 0.0 0.5 1.0 -1.0 1000.0 -0.001 0x1.93e594p99
//: out 0:1 f32 within ATAN_ULP_4096 0.0 0.463647609001 0.785398163397 -0.785398163397 1.56979632713
//:: -0.000999999714164 1.57079632679
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = atan(a[i]);
}

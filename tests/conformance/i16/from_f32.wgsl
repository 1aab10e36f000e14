// f32 becomes i16 toward zero, clamped to what both types hold; NaN is 0.
//: needs int16
//: in  0:0 f32 0.0 -0.0 1.75 -1.75 1e+30 -1e+30 inf -inf nan 255.99998474121094 3000000000.0
//:: -3000000000.0
//: out 0:1 i16 0 0 1 -1 MAX MIN MAX MIN 0 255 MAX MIN
//: deviates lavapipe "NaN is MIN" 0:1 i16 = = = = = = = = MIN = = =
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i16(a[i]);
}

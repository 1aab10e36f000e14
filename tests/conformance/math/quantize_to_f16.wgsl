// quantizeToF16 rounds to nearest even in half precision and back.
//: in  0:0 f32 1.0         0.1 65504.0 0x1p-24 1.0004883 1.0014648  -3.14159 0x1.8p-25 2049.0
//: out 0:1 f32 1.0 0.099975586 65504.0 0x1p-24       1.0 1.0019531 -3.140625   0x1p-24 2048.0
//: deviates lavapipe "flushes subnormal halves" 0:1 f32 =*3 0.0 =*3 0.0 =
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(9)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = quantizeToF16(a[i]);
}

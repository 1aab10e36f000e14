// The absolute value clears the sign, of zero too.
//: in  0:0 f32 1.5 -1.5 0.0 -0.0 -inf nan -0x1p-149
//: out 0:1 f32 1.5  1.5 0.0  0.0  inf nan  0x1p-149
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = abs(a[i]);
}

// f32 becomes the nearest f16, ties to even; what is too large becomes infinity.
//: needs f16
//: in  0:0 f32 0.0 -0.0 1.0 1.00048828125 1.00146484375 1.0004884004592896 65519.0 65520.0 -65520.0
//:: 1e+30 5.960464477539063e-08 2.9802322387695312e-08 2.980232594040899e-08 -8.940696716308594e-08
//:: inf -inf nan 0.0999755859375
//: out 0:1 f16 0.0 -0.0 1.0 1.0 1.001953125 1.0009765625 65504.0 inf -inf inf 5.960464477539063e-08
//:: 0.0 5.960464477539063e-08 -1.1920928955078125e-07 inf -inf nan 0.0999755859375
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(18)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f16(a[i]);
}

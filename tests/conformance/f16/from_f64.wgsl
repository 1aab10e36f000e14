// f64 becomes the nearest f16 in one rounding, not by way of f32.
//: needs f64 f16
//: in  0:0 f64 1.00048828125 1.0004882812500002 1.0014648437499998 65519.999999999985 65520.0
//:: 2.980232238769616e-08 -1e+300 0.1
//: out 0:1 f16 1.0 1.0009765625 1.0009765625 65504.0 inf 5.960464477539063e-08 -inf 0.0999755859375
//: deviates lavapipe "rounds to f32 first" 0:1 f16 = 1.0 bits:3c02 inf = 0.0 = =
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f16(a[i]);
}

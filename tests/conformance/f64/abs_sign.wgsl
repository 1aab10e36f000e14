// abs clears the sign of an f64; sign is -1, 0 or 1.
//: needs f64
//: in  0:0 f64 0.0 -2.0 3.0 -inf -1e-300
//: out 0:1 f64 0.0 1.0 4.0 inf -1.0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = abs(a[i]) + sign(a[i]);
}

// sqrt of f64 is rounded correctly.
//: needs f64
//: in  0:0 f64 2.0 3.0 4.0 1e-300 0.0
//: out 0:1 f64 1.4142135623730951 1.7320508075688772 2.0 1e-150 0.0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = sqrt(a[i]);
}

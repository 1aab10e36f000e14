// ceil of f64; what lies in (-1, 0) becomes -0.
//: needs f64
//: in  0:0 f64 0.5 -0.5 1.5 2.5 -2.5 4503599627370495.5 -0.0 1e+300
//: out 0:1 f64 1.0 -0.0 2.0 3.0 -2.0 4503599627370496.0 -0.0 1e+300
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ceil(a[i]);
}

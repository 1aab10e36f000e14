// trunc of f64 goes toward zero, and fract is x - floor(x).
//: needs f64
//: in  0:0 f64 0.5 1.75 -2.25 4503599627370495.5
//: out 0:1 f64 0.5 1.75 -1.25 4503599627370495.5
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = trunc(a[i]) + fract(a[i]);
}

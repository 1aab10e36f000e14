// fma of f64 rounds once.
//: needs f64
//: in  0:0 f64 2.0 1.0000000000000002 0.1
//: in  0:1 f64 3.0 1.0000000000000002 10.0
//: in  0:2 f64 1.0 -1.0000000000000004 -1.0
//: out 0:3 f64 7.0 4.930380657631324e-32 5.551115123125783e-17
//: deviates lavapipe "rounds the product too" 0:3 f64 = 0.0 0.0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read> b: array<f64>;
@group(0) @binding(2) var<storage, read> c: array<f64>;
@group(0) @binding(3) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = fma(a[i], b[i], c[i]);
}

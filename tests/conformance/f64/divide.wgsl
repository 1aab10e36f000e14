// f64 division is rounded correctly.
//: needs f64
//: in  0:0 f64 1.0 2.0 -1.0 1.0 10.0
//: in  0:1 f64 3.0 7.0 1e-300 1e+308 4.0
//: out 0:2 f64 0.3333333333333333 0.2857142857142857 -9.999999999999999e+299 1e-308 2.5
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read> b: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] / b[i];
}

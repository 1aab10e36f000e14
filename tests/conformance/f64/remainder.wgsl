// f64 remainder is x - y * trunc(x / y).
//: needs f64
//: in  0:0 f64 7.0 -7.0 7.0 5.5 1000000000000000.5
//: in  0:1 f64 2.0 2.0 -2.0 2.0 1.0
//: out 0:2 f64 1.0 -1.0 1.0 1.5 0.5
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read> b: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] % b[i];
}

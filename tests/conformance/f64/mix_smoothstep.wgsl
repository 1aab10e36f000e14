// mix and smoothstep of f64 at points where every step is exact.
//: needs f64
//: in  0:0 f64 0.0 0.5 1.0 0.25
//: out 0:1 f64 2.0 4.5 7.0 3.15625
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = mix(2lf, 6lf, a[i]) + smoothstep(0lf, 1lf, a[i]);
}

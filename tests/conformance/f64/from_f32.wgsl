// Every f32 is an f64.
//: needs f64
//: in  0:0 f32 0.10000000149011612 1.401298464324817e-45 -0.0 inf nan 3.4028234663852886e+38
//: out 0:1 f64 0.10000000149011612 1.401298464324817e-45 -0.0 inf nan 3.4028234663852886e+38
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f64(a[i]);
}

// f64 becomes the nearest f32, ties to even; what is too large becomes infinity.
//: needs f64
//: in  0:0 f64 0.1 1.0000000596046448 1.000000059604645 1.0000001788139343 1e+300 -1e+300 1e-46
//:: 3.4028235677973362e+38 1.401298464324817e-45 nan inf
//: out 0:1 f32 0.10000000149011612 1.0 1.0000001192092896 1.000000238418579 inf -inf 0.0
//:: 3.4028234663852886e+38 1.401298464324817e-45 nan inf
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(11)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f32(a[i]);
}

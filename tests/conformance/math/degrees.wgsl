// degrees multiplies by 180 / pi.
//: in  0:0 f32 0.0 3.1415927 1.0 -0.5 1000000.0
//: out 0:1 f32 within DEGREES_ULP_3 0.0 180.000005009 57.2957795131 -28.6478897565 57295779.5131
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = degrees(a[i]);
}

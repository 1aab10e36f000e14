// f32 becomes u64 toward zero, clamped to what both types hold; NaN is 0.
//: needs int64
//: in  0:0 f32 0.0 -0.0 1.75 -1.75 1e+30 -1e+30 inf -inf nan 255.99998474121094 3000000000.0
//:: -3000000000.0
//: out 0:1 u64 0 0 1 0 18446742974197923840 0 18446742974197923840 0 0 255 3000000000 0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u64(a[i]);
}

// f64 becomes i64 toward zero, up to the largest value that both types hold.
//: needs f64 int64
//: in  0:0 f64 1.9 -1.9 9007199254740992.0 1e+19 -1e+19 1.8e+19 inf -inf nan 9.223372036854776e+18
//: out 0:1 i64 1 -1 9007199254740992 9223372036854774784 MIN 9223372036854774784
//:: 9223372036854774784 MIN 0 9223372036854774784
//: deviates lavapipe "NaN is MIN" 0:1 i64 =*8 MIN =
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i64(a[i]);
}

// i64 becomes the nearest f64, ties to even.
//: needs int64 f64
//: in  0:0 i64 0 -1 9007199254740993 9007199254740995 MIN MAX
//: out 0:1 f64 0.0 -1.0 9007199254740992.0 9007199254740996.0 -9.223372036854776e+18
//:: 9.223372036854776e+18
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f64(a[i]);
}

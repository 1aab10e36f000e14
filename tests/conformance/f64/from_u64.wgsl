// u64 becomes the nearest f64, ties to even.
//: needs int64 f64
//: in  0:0 u64 0 1 9007199254740993 MAX 9223372036854776833
//: out 0:1 f64 0.0 1.0 9007199254740992.0 1.8446744073709552e+19 9.223372036854778e+18
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f64(a[i]);
}

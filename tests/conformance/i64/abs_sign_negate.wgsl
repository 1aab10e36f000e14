// abs and - of MIN are MIN; sign is -1, 0 or 1.
//: needs int64
//: in  0:0 i64 0 5 -5 MAX MIN -4294967296
//: out 0:1 i64 0 26 14 9223372036854775804 MAX 12884901887
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = abs(a[i]) * i64(4) + sign(a[i]) - (-a[i]);
}

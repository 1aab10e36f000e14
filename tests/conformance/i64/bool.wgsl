// i64 is true unless it is zero, and a bool becomes 0 or 1.
//: needs int64
//: in  0:0 i64 0 1 -1 4611686018427387904
//: out 0:1 i64 0 1 1 1
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i64(bool(a[i]));
}

// i32 becomes i64 with its sign extended.
//: needs int64
//: in  0:0 i32 0 1 -1 MAX MIN 70000 -70000 32768
//: out 0:1 i64 0 1 -1 2147483647 -2147483648 70000 -70000 32768
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i64(a[i]);
}

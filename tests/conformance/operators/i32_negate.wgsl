// Negating the smallest integer gives it back.
//: in  0:0 i32 0  1 -1         MAX MIN
//: out 0:1 i32 0 -1  1 -2147483647 MIN
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = -a[i];
}

// The sign of an integer is -1, 0 or 1.
//: in  0:0 i32 0 5 -5 MIN MAX
//: out 0:1 i32 0 1 -1  -1   1
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = sign(a[i]);
}

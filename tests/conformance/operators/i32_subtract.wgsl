// Signed subtraction wraps around.
//: in  0:0 i32  1 MAX MIN MIN   0 0 -7
//: in  0:1 i32  2  -1   1 MIN MIN 0 -7
//: out 0:2 i32 -1 MIN MAX   0 MIN 0  0
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] - b[i];
}

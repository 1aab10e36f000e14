// A signed remainder has the sign of the dividend; x % 0 and MIN % -1 are 0.
//: in  0:0 i32 7 -7  7 -7 5 -5 MIN MIN MIN MAX 0
//: in  0:1 i32 3  3 -3 -3 0  0  -1   0  10  -1 0
//: out 0:2 i32 1 -1  1 -1 0  0   0   0  -8   0 0
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(11)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] % b[i];
}

// extractBits of a signed integer extends the sign of the field; a count of 0 gives 0.
//: in  0:0 i32 305419896 -1 MIN 305419896 305419896 305419896 -252645136  -1
//: in  0:1 u32         4  0  31         0        32        28          4 MAX
//: in  0:2 u32         8 32   1         0         4       100        MAX MAX
//: out 0:3 i32       103 -1  -1         0         0         1  -15790321   0
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = extractBits(a[i], b[i], c[i]);
}

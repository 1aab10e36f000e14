// dot4I8Packed multiplies four signed bytes and sums.
//: in  0:0 u32 0x1020304       MAX 0x80808080 0x7f7f7f7f   0
//: in  0:1 u32 0x1010101 0x1010101 0x80808080 0x80808080 MAX
//: out 0:2 i32        10        -4      65536     -65024   0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = dot4I8Packed(a[i], b[i]);
}

// extractBits of an unsigned integer fills with zeros; offset and count are cut off at 32.
//: in  0:0 u32 0x12345678 MAX 0x80000000 0x12345678 0x12345678 0x12345678 0xf0f0f0f0 MAX
//: in  0:1 u32          4   0         31          0         32         28          4 MAX
//: in  0:2 u32          8  32          1          0          4        100        MAX MAX
//: out 0:3 u32        103 MAX          1          0          0          1  0xf0f0f0f   0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = extractBits(a[i], b[i], c[i]);
}

// Unsigned 16-bit comparisons look at all 16 bits.
//: needs int16
//: in  0:0 u16 0 1 0 MAX 0 256 1 257 MAX 65534
//: in  0:1 u16 0 0 1 0 MAX 1 256 256 65534 MAX
//: out 0:2 u32 41 50 14 50 14 50 14 50 50 14
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read> b: array<u16>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i] == b[i]) | u32(a[i] != b[i]) << 1u | u32(a[i] < b[i]) << 2u
        | u32(a[i] <= b[i]) << 3u | u32(a[i] > b[i]) << 4u | u32(a[i] >= b[i]) << 5u;
}

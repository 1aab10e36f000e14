// u32 becomes the nearest f16, ties to even, and infinity beyond.
//: needs f16
//: in  0:0 u32 0 1 2049 2051 65519 65520 MAX 4097
//: out 0:1 f16 0.0 1.0 2048.0 2052.0 65504.0 inf inf 4096.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f16(a[i]);
}

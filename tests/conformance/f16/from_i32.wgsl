// i32 becomes the nearest f16, ties to even, and infinity beyond.
//: needs f16
//: in  0:0 i32 0 1 -1 2047 2049 2051 -2049 65504 65519 65520 -70000 MAX
//: out 0:1 f16 0.0 1.0 -1.0 2047.0 2048.0 2052.0 -2048.0 65504.0 65504.0 inf -inf inf
enable f16;

@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f16(a[i]);
}

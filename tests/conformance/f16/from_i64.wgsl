// i64 becomes the nearest f16, and infinity beyond.
//: needs int64 f16
//: in  0:0 i64 0 -1 2049 65519 65520 MIN
//: out 0:1 f16 0.0 -1.0 2048.0 65504.0 inf -inf
enable f16;

@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f16(a[i]);
}

// unpack4xI8 extends the sign of each byte.
//: in  0:0 u32 0xff7f80 0x1020304
//: out 0:1 i32 -128 127 -1 0 4 3 2 1
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<i32>>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = unpack4xI8(a[i]);
}

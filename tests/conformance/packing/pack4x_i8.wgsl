// pack4xI8 keeps the low byte of each component.
//: in  0:0 i32 1 -1 127 -128 256 -129 MIN MAX
//: out 0:1 u32 0x807fff01 0xff007f00
@group(0) @binding(0) var<storage, read> a: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pack4xI8(a[i]);
}

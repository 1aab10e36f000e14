// pack4xU8Clamp saturates each component to 255.
//: in  0:0 u32 1 255 127 128 256 511 MAX 0
//: out 0:1 u32 0x807fff01 0xffffff
@group(0) @binding(0) var<storage, read> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pack4xU8Clamp(a[i]);
}

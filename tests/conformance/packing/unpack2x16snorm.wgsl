// unpack2x16snorm divides each half by 32767; both -32768 and -32767 are -1.
//: in  0:0 u32 0xffff0000 0x80007fff 0x80010001 0x12345678
//: out 0:1 f32 within UNPACK_ULP_3 0.0 -3.0518509476e-05 1.0 -1.0 3.0518509476e-05 -1.0
//:: 0.675557725761 0.142216254158
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<f32>>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = unpack2x16snorm(a[i]);
}

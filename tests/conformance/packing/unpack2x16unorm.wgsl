// unpack2x16unorm divides each half by 65535.
//: in  0:0 u32 0xffff0000 0x80007fff 0x80010001 0x12345678
//: out 0:1 f32 within UNPACK_ULP_3 0.0 1.0 0.499992370489 0.500007629511 1.52590218967e-05
//:: 0.500022888533 0.337773708705 0.0711070420386
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<f32>>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = unpack2x16unorm(a[i]);
}

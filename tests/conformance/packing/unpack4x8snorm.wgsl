// unpack4x8snorm divides each byte by 127; both -128 and -127 are -1.
//: in  0:0 u32 0xff7f80 0x1020304 0x81c0e0f0
//: out 0:1 f32 within UNPACK_ULP_3 -1.0 1.0 -0.00787401574803 0.0 0.0314960629921 0.0236220472441
//:: 0.0157480314961 0.00787401574803 -0.125984251969 -0.251968503937 -0.503937007874 -1.0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = unpack4x8snorm(a[i]);
}

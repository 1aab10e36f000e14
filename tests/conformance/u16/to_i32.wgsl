// u16 becomes i32 by its low bits.
//: needs int16
//: in  0:0 u16 0 1 MAX MAX 0 256 1000 53191
//: out 0:1 i32 0 1 65535 65535 0 256 1000 53191
//: deviates lavapipe "the SPIR-V writer extends by the sign of the result" 0:1 i32 0 1 -1 -1 0 256
//:: 1000 -12345
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
}

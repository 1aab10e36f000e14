// firstLeadingBit is the highest bit that differs from the sign, -1 for 0 and -1.
//: needs int16
//: in  0:0 i16 0 1 MAX MIN 240 -1 256 -2
//: out 0:1 i16 -1 0 14 14 7 -1 8 0
//: deviates lavapipe "naga's SPIR-V writer panics where the type has not 32 bits" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = firstLeadingBit(a[i]);
}

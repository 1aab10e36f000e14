// firstLeadingBit is the highest bit that is set, all ones for 0.
//: needs int16
//: in  0:0 u16 0 1 MAX 32768 240 MAX 256 65534
//: out 0:1 u16 MAX 0 15 15 7 15 8 15
//: deviates lavapipe "naga's SPIR-V writer panics where the type has not 32 bits" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = firstLeadingBit(a[i]);
}

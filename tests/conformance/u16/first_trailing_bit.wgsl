// firstTrailingBit is the lowest bit that is set, all ones for 0.
//: needs int16
//: in  0:0 u16 0 1 MAX 32768 240 MAX 256 65534
//: out 0:1 u16 MAX 0 0 15 4 0 8 1
//: deviates lavapipe "SPIR-V has the instruction for 32 bits only" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = firstTrailingBit(a[i]);
}

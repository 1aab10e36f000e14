// firstTrailingBit is the lowest bit that is set, -1 for 0.
//: needs int16
//: in  0:0 i16 0 1 MAX MIN 240 -1 256 -2
//: out 0:1 i16 -1 0 0 15 4 0 8 1
//: deviates lavapipe "SPIR-V has the instruction for 32 bits only" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = firstTrailingBit(a[i]);
}

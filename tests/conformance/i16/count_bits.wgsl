// countLeadingZeros, countTrailingZeros and countOneBits count in 16 bits.
//: needs int16
//: in  0:0 i16 0 1 MAX MIN 240 -1 256 -2
//: out 0:1 i16 16896 15361 1039 481 8324 16 7425 47
//: deviates lavapipe "naga's SPIR-V writer panics where the type has not 32 bits" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = countLeadingZeros(a[i]) * i16(1024)
        + countTrailingZeros(a[i]) * i16(32) + countOneBits(a[i]);
}

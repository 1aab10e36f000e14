// Bit counting and reversing on vectors.
//: in  0:0 u32 0 1 0xff00 0x80000000
//: out 0:1 u32 0 1 8 1   32 31 16 0   32 0 8 31   0 0x80000000 0x00ff0000 1   MAX 0 15 31   MAX 0 8 31
@group(0) @binding(0) var<storage, read> a: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>, 6>;

@compute @workgroup_size(1)
fn main() {
    out[0] = countOneBits(a);
    out[1] = countLeadingZeros(a);
    out[2] = countTrailingZeros(a);
    out[3] = reverseBits(a);
    out[4] = firstLeadingBit(a);
    out[5] = firstTrailingBit(a);
}

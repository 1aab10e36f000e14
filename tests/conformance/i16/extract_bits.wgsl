// extractBits clamps offset and count to 16 bits and extends the sign.
//: needs int16
//: in  0:0 i16 12816 12816 12816 12816 12816 12816 12816 12816
//: in  0:1 u32 0 0 8 16 4 15 8 1
//: in  0:2 u32 16 0 4 4 8 99 16 8
//: out 0:3 i16 12816 0 2 0 33 0 50 8
//: deviates lavapipe "SPIR-V has the instruction for 32 bits only" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = extractBits(a[i], b[i], c[i]);
}

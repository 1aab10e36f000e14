// insertBits replaces a field that is clamped to 16 bits.
//: needs int16
//: in  0:0 u16 12816 12816 12816 12816 12816 12816 12816 12816
//: in  0:1 u16 MAX MAX MAX MAX MAX MAX MAX MAX
//: in  0:2 u32 0 0 8 16 4 15 8 1
//: in  0:3 u32 16 0 4 4 8 99 16 8
//: out 0:4 u16 MAX 12816 16144 12816 16368 45584 65296 13310
//: deviates lavapipe "SPIR-V has the instruction for 32 bits only" skip
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read> b: array<u16>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@group(0) @binding(3) var<storage, read> d: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = insertBits(a[i], b[i], c[i], d[i]);
}

// insertBits replaces a field that is clamped to 64 bits.
//: needs int64
//: in  0:0 u64 18364758544493064720 18364758544493064720 18364758544493064720 18364758544493064720
//:: 18364758544493064720 18364758544493064720 18364758544493064720 18364758544493064720
//: in  0:1 u64 MAX MAX MAX MAX MAX MAX MAX MAX
//: in  0:2 u32 0 0 32 64 4 63 32 1
//: in  0:3 u32 64 0 4 4 8 99 64 32
//: out 0:4 u64 MAX 18364758544493064720 18364758574557835792 18364758544493064720
//:: 18364758544493068272 18364758544493064720 18446744071399813648 18364758551097769982
//: deviates lavapipe "SPIR-V has the instruction for 32 bits only" skip
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read> b: array<u64>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@group(0) @binding(3) var<storage, read> d: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = insertBits(a[i], b[i], c[i], d[i]);
}

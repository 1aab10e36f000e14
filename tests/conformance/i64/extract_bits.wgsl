// extractBits clamps offset and count to 64 bits and extends the sign.
//: needs int64
//: in  0:0 i64 -81985529216486896 -81985529216486896 -81985529216486896 -81985529216486896
//:: -81985529216486896 -81985529216486896 -81985529216486896 -81985529216486896
//: in  0:1 u32 0 0 32 64 4 63 32 1
//: in  0:2 u32 64 0 4 4 8 99 64 32
//: out 0:3 i64 -81985529216486896 0 -8 0 33 -1 -19088744 992614664
//: deviates lavapipe "SPIR-V has the instruction for 32 bits only" skip
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = extractBits(a[i], b[i], c[i]);
}

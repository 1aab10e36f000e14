// firstTrailingBit is the lowest bit that is set, -1 for 0.
//: needs int64
//: in  0:0 i64 0 1 MAX MIN 240 -1 4294967296 -2
//: out 0:1 i64 -1 0 0 63 4 0 32 1
//: deviates lavapipe "SPIR-V has the instruction for 32 bits only" skip
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = firstTrailingBit(a[i]);
}

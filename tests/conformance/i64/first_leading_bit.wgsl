// firstLeadingBit is the highest bit that differs from the sign, -1 for 0 and -1.
//: needs int64
//: in  0:0 i64 0 1 MAX MIN 240 -1 4294967296 -2
//: out 0:1 i64 -1 0 62 62 7 -1 32 0
//: deviates lavapipe "naga's SPIR-V writer panics where the type has not 32 bits" skip
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = firstLeadingBit(a[i]);
}

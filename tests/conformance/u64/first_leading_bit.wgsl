// firstLeadingBit is the highest bit that is set, all ones for 0.
//: needs int64
//: in  0:0 u64 0 1 MAX 9223372036854775808 240 MAX 4294967296 18446744073709551614
//: out 0:1 u64 MAX 0 63 63 7 63 32 63
//: deviates lavapipe "naga's SPIR-V writer panics where the type has not 32 bits" skip
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = firstLeadingBit(a[i]);
}

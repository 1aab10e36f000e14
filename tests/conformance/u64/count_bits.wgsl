// countLeadingZeros, countTrailingZeros and countOneBits count in 64 bits.
//: needs int64
//: in  0:0 u64 0 1 MAX 9223372036854775808 240 MAX 4294967296 18446744073709551614
//: out 0:1 u64 646400 630001 64 6301 560404 64 313201 163
//: deviates lavapipe "naga's SPIR-V writer panics where the type has not 32 bits" skip
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = countLeadingZeros(a[i]) * 10000lu
        + countTrailingZeros(a[i]) * 100lu + countOneBits(a[i]);
}

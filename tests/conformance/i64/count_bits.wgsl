// countLeadingZeros, countTrailingZeros and countOneBits count in 64 bits.
//: needs int64
//: in  0:0 i64 0 1 MAX MIN 240 -1 4294967296 -2
//: out 0:1 i64 646400 630001 10063 6301 560404 64 313201 163
//: deviates lavapipe "naga's SPIR-V writer panics where the type has not 32 bits" skip
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = countLeadingZeros(a[i]) * 10000li
        + countTrailingZeros(a[i]) * 100li + countOneBits(a[i]);
}

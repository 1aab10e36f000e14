// Literals, constants and zero values of i64 and u64 keep all 64 bits.
//: needs int64
//: out 0:0 u64 0x123456789abcdef0 0x8000000000000001 MAX 5 0
const large = 0x123456789abcdef0lu;
@group(0) @binding(0) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(1)
fn main() {
    out[0] = large;
    out[1] = u64(-9223372036854775807li);
    out[2] = 18446744073709551615lu;
    out[3] = vec2<u64>(5lu).y + u64();
    out[4] = u64(array<i64, 3>()[2]);
}

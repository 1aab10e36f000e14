// u32 becomes i64 with zeros above.
//: needs int64
//: in  0:0 u32 0 1 MAX 2147483648 65536 65535 70000 32768
//: out 0:1 i64 0 1 4294967295 2147483648 65536 65535 70000 32768
//: deviates lavapipe "the SPIR-V writer extends by the sign of the result" 0:1 i64 0 1 -1
//:: -2147483648 65536 65535 70000 32768
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i64(a[i]);
}

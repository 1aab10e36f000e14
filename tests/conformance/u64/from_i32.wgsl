// i32 becomes u64 with its sign extended.
//: needs int64
//: in  0:0 i32 0 1 -1 MAX MIN 70000 -70000 32768
//: out 0:1 u64 0 1 MAX 2147483647 18446744071562067968 70000 18446744073709481616 32768
//: deviates lavapipe "the SPIR-V writer extends by the sign of the result" 0:1 u64 0 1 4294967295
//:: 2147483647 2147483648 70000 4294897296 32768
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u64(a[i]);
}

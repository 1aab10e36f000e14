// reverseBits turns all 64 bits round.
//: needs int64
//: in  0:0 u64 0 1 MAX 9223372036854775808 240 MAX 4294967296 18446744073709551614
//: out 0:1 u64 0 9223372036854775808 MAX 1 1080863910568919040 MAX 2147483648 9223372036854775807
//: deviates lavapipe "LLVM aborts the process" skip
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = reverseBits(a[i]);
}

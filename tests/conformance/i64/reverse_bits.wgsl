// reverseBits turns all 64 bits round.
//: needs int64
//: in  0:0 i64 0 1 MAX MIN 240 -1 4294967296 -2
//: out 0:1 i64 0 MIN -2 1 1080863910568919040 -1 2147483648 MAX
//: deviates lavapipe "LLVM aborts the process" skip
@group(0) @binding(0) var<storage, read> a: array<i64>;
@group(0) @binding(1) var<storage, read_write> out: array<i64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = reverseBits(a[i]);
}

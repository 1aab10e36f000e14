// Invocations of one workgroup may leave a loop after different numbers of passes.
//: in  0:0 u32 0 3 1 7 2 0 5 4
//: out 0:1 u32 0 6 1 28 3 0 15 10
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var k = 1u; k <= a[i]; k++) {
        sum += k;
    }
    out[i] = sum;
}

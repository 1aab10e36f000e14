// 256 invocations meet at one barrier.
//: out 0:0 u32 32640
@group(0) @binding(0) var<storage, read_write> out: array<u32, 1>;

var<workgroup> values: array<u32, 256>;

@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_index) i: u32) {
    values[255u - i] = i;
    workgroupBarrier();
    if i == 200u {
        var sum = 0u;
        for (var k = 0u; k < 256u; k++) {
            sum += values[k];
        }
        out[0] = sum;
    }
}

// An override sizes an array in workgroup memory.
//: constant size = 6
//: out 0:0 u32 15 6
@group(0) @binding(0) var<storage, read_write> out: array<u32, 2>;

override size: u32;

var<workgroup> list: array<u32, size>;

@compute @workgroup_size(size)
fn main(@builtin(local_invocation_index) i: u32) {
    list[i] = i;
    workgroupBarrier();
    if i == 0u {
        var sum = 0u;
        for (var k = 0u; k < size; k++) {
            sum += list[k];
        }
        out[0] = sum;
        out[1] = size;
    }
}

// A loop that ends with break if goes on for the others.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 808 815 821 826 830 833 835 836
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var k = 0u;
    loop {
        out[i] += subgroupAdd(1u);
        continuing {
            k++;
            break if k > i;
        }
    }
    out[i] += subgroupAdd(100u);
}

// subgroupShuffleUp takes the value of a lower lane; below the first there is zero.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0 0 0 100 101 102 103 104 0 0 0 108 109 110 111 112
//: deviates lavapipe "lanes outside are open" 0:0 u32 _*3 100 101 102 103 104 _*3 108 109 110 111 112
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupShuffleUp(100u + i, 3u);
}

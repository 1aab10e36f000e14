// subgroupShuffleDown takes the value of a higher lane; above the last there is zero.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 103 104 105 106 107 0 0 0 111 112 113 114 115 0 0 0
//: deviates lavapipe "lanes outside are open" 0:0 u32 103 104 105 106 107 _*3 111 112 113 114 115 _*3
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupShuffleDown(100u + i, 3u);
}

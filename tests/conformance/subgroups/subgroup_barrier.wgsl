// What lanes wrote before a subgroup barrier, the others read behind it.
//: needs subgroups subgroup_barrier
//: subgroup-size 8
//: out 0:0 u32 49 36 25 16 9 4 1 0 225 196 169 144 121 100 81 64
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

var<workgroup> tile: array<u32, 16>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i * i;
    subgroupBarrier();
    out[i] = tile[i ^ 7u];
}

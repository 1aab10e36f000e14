// A constant lane that there never is, is refused.
//: needs subgroups
//: fails "`subgroupBroadcast` from lane 128: it must be less than 128"
//: in  0:0 u32 0*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupBroadcast(1u, 128u);
}

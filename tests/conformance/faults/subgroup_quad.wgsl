// A constant lane that there never is, is refused.
//: needs subgroups
//: fails "`quadBroadcast` from lane 4: it must be less than 4"
//: in  0:0 u32 0*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = quadBroadcast(1u, 4u);
}

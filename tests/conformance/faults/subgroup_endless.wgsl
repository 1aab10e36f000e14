// An endless loop around an operation ends by the limit.
//: needs subgroups
//: fails "endless loop"
//: in  0:0 u32 0*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    loop {
        out[i] += subgroupAdd(1u);
        if out[i] == 1u {
            break;
        }
    }
}

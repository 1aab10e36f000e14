// subgroupOr on i32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 i32 0 1 0 0 -2147483648 0 8 0 0 0 0 0 0 0 0 0
//: out 0:1 i32 -2147483639*8 0*8
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupOr(a[i]);
}

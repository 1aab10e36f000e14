// An exclusive product of f32 begins with 1.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 f32 0.5 1.0 2.0 4.0 8.0 16.0 32.0 64.0 -1.5 2.0 -1.0 0.5 4.0 1.0 -2.0 3.0
//: out 0:1 f32 1.0 0.5 0.5 1.0 4.0 32.0 512.0 16384.0 1.0 -1.5 -3.0 3.0 1.5 6.0 6.0 -12.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupExclusiveMul(a[i]);
}

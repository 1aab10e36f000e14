// workgroupUniformLoad gives every invocation the same value, with barriers around it.
//: workgroups 2
//: in  0:0 u32 5 9
//: out 0:1 u32 5 6 7 8   9 10 11 12
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<workgroup> base: u32;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
    if i == 3u {
        base = a[group.x];
    }
    let value = workgroupUniformLoad(&base);
    out[group.x * 4u + i] = value + i;
}

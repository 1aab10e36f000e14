// workgroupUniformLoad and stores of f16 composites in workgroup memory.
//: needs f16
//: out 0:0 f16 1.5 0.5
enable f16;

var<workgroup> shared_values: array<vec3<f16>, 2>;
@group(0) @binding(0) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    shared_values[i] = vec3h(f16(i) + 0.5h);
    let all = workgroupUniformLoad(&shared_values);
    out[i] = all[1u - i].z;
}

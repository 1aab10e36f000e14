// WebGPU's dialect, with every directive.
enable f16, subgroups;
requires pointer_composite_access, subgroup_id;
diagnostic(off, derivative_uniformity);

@group(0) @binding(0) var<storage, read_write> sums: array<vec4<f16>>;

@compute @workgroup_size(64)
fn sum(@builtin(subgroup_invocation_id) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    let total = subgroupAdd(f32(lane));
    if lane == 0u {
        sums[id.x] = vec4<f16>(f16(total), 1.0h, 0.5h, 0.0h);
    }
}

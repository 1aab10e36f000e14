enable subgroups;
diagnostic(off, derivative_uniformity);
diagnostic(off, subgroup_uniformity);

@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

fn sampled(uv: vec2<f32>) -> vec4<f32> {
    return textureSample(t, s, uv);
}

@fragment
fn branch(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    if uv.x < 0.5 {
        return vec4<f32>();
    }
    return sampled(uv);
}

@compute @workgroup_size(64)
fn lanes(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x > 3u {
        sums[id.x] = subgroupAdd(id.x);
    }
}

// The graphics stages, textures and samplers.
alias Color = vec4<f32>;
struct Varying { @builtin(position) position: vec4<f32>, @location(0) uv: vec2<f32> }

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var smooth_sampler: sampler;
@group(0) @binding(2) var target_picture: texture_storage_2d<rgba8unorm, write>;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> Varying {
    var result: Varying;
    result.uv = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    result.position = vec4<f32>(result.uv * 2.0 - 1.0, 0.0, 1.0);
    return result;
}

@fragment
fn shade(in: Varying) -> @location(0) Color {
    let slope = fwidth(in.uv);
    if slope.x > 0.5 { discard; }
    return textureSample(picture, smooth_sampler, in.uv);
}

@compute @workgroup_size(8, 8)
fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(target_picture, id.xy, textureLoad(picture, id.xy, 0));
}

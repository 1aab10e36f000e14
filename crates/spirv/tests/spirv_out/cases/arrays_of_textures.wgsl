enable wgpu_binding_array;
@group(0) @binding(0) var few: binding_array<texture_2d<f32>, 4>;
@group(0) @binding(1) var many: binding_array<texture_2d_array<u32>>;
@group(0) @binding(2) var samplers: binding_array<sampler>;
@group(0) @binding(3) var stores: binding_array<texture_storage_2d<r32float, read_write>>;
@group(0) @binding(4) var depths: binding_array<texture_depth_2d, 2>;
@group(0) @binding(5) var<uniform> same: u32;
fn sampled(t: texture_2d<f32>, s: sampler) -> vec4<f32> { return textureSampleLevel(t, s, vec2(0.5), 0.0); }
fn deeper(t: texture_2d<f32>, s: sampler) -> vec4<f32> { return sampled(t, s); }
@fragment fn main(@location(0) @interpolate(flat) own: u32) -> @location(0) vec4<f32> {
    textureStore(stores[own], vec2(1), textureLoad(stores[same], vec2(2)));
    return sampled(few[1], samplers[same]) + deeper(few[own], samplers[own])
        + vec4<f32>(textureLoad(many[own], vec2(1), 1, 0)) + textureSampleLevel(depths[same], samplers[0], vec2(0.5), 0);
}

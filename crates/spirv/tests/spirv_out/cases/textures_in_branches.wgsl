@group(0) @binding(0) var t: texture_2d_array<f32>; @group(0) @binding(1) var s: sampler; @group(0) @binding(2) var d: texture_depth_2d; @group(0) @binding(3) var c: sampler_comparison; @group(0) @binding(4) var ms: texture_multisampled_2d<u32>;
fn pick(tex: texture_2d_array<f32>, i: u32, p: vec2<f32>) -> vec4<f32> { if i > 2u { return textureSampleLevel(tex, s, p, i, 0.0); } return textureLoad(tex, vec2<u32>(p), i, 0u); }
@fragment fn main(@builtin(position) p: vec4<f32>, @builtin(sample_index) k: u32) -> @location(0) vec4<f32> {
    var r = vec4<f32>(0.0);
    for (var i = 0u; i < textureNumLayers(t); i++) { r += pick(t, i, p.xy); if r.x > 1.0 { r.y = textureSampleCompareLevel(d, c, p.xy, 0.5); } }
    return r + vec4<f32>(textureLoad(ms, vec2<i32>(p.xy), k)) + textureGather(0, t, s, p.xy, 1, vec2<i32>(1, 1)) + textureSampleGrad(t, s, p.xy, k, p.xy, p.zw, vec2<i32>(2, -3));
}

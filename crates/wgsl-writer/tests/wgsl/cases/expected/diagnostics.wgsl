diagnostic(off, derivative_uniformity);

@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;

@fragment
@diagnostic(warning, derivative_uniformity)
fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    if uv.x > 0.5 {
        return textureSample(t, s, uv);
    }
    return vec4<f32>();
}

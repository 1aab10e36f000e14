@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<uniform> shall: u32;
@fragment fn branch(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    if shall == 0u { return vec4<f32>(); }
    var colour = vec4<f32>();
    loop {
        colour += textureSample(t, s, uv);
        if shall > 2u { break; }
    }
    return colour;
}

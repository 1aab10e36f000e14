@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
fn one(x: texture_2d<f32>, y: sampler, p: vec2<f32>) -> vec4<f32> { return two(x, y, p) + textureSample(x, y, p); }
fn two(x: texture_2d<f32>, y: sampler, p: vec2<f32>) -> vec4<f32> { return textureSampleLevel(x, y, p, 0.0) * f32(textureDimensions(x).x); }
@fragment fn main(@location(0) p: vec2<f32>) -> @location(0) vec4<f32> { let u = t; return one(u, s, p); }

enable wgpu_binding_array;
@group(0) @binding(0) var t: binding_array<texture_2d<f32>, 4>;
@group(0) @binding(1) var s: binding_array<sampler, 4>;
struct B { x: u32, y: array<f32> }
@group(0) @binding(2) var<storage, read_write> b: binding_array<B, 3>;
@fragment fn main(@location(0) p: vec2<f32>, @location(1) @interpolate(flat) i: u32) -> @location(0) vec4<f32> {
    b[1].x = textureDimensions(t[i]).x;
    return textureSample(t[i], s[i], p) + textureLoad(t[2], vec2<i32>(p), 0) + b[i].y[3] + f32(arrayLength(&b[2].y));
}

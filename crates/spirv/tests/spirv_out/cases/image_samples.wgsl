@group(0) @binding(0) var t1: texture_1d<f32>;
@group(0) @binding(1) var t2: texture_2d<f32>;
@group(0) @binding(2) var t2a: texture_2d_array<f32>;
@group(0) @binding(3) var t3: texture_3d<f32>;
@group(0) @binding(4) var tc: texture_cube<f32>;
@group(0) @binding(5) var tca: texture_cube_array<f32>;
@group(0) @binding(7) var td: texture_depth_2d;
@group(0) @binding(8) var tda: texture_depth_2d_array;
@group(0) @binding(9) var tdc: texture_depth_cube;
@group(0) @binding(10) var tdca: texture_depth_cube_array;
@group(1) @binding(0) var s: sampler;
@group(1) @binding(1) var sc: sampler_comparison;
@fragment fn main(@location(0) p: vec4<f32>, @location(1) @interpolate(flat) i: i32) -> @location(0) vec4<f32> {
    var r = textureSample(t1, s, p.x) + textureSample(t2, s, p.xy) + textureSample(t2, s, p.xy, vec2<i32>(1, -1));
    r += textureSample(t2a, s, p.xy, i) + textureSample(t3, s, p.xyz, vec3<i32>(1, 2, 3));
    r += textureSample(tc, s, p.xyz) + textureSample(tca, s, p.xyz, u32(i));
    r += textureSampleBias(t2, s, p.xy, 0.5) + textureSampleLevel(t2, s, p.xy, 1.0, vec2<i32>(1, 2));
    r += textureSampleGrad(t2, s, p.xy, p.xy, p.zw) + textureSampleGrad(tc, s, p.xyz, p.xyz, p.yzw);
    r += textureGather(1, t2, s, p.xy) + textureGather(td, s, p.xy) + textureGatherCompare(td, sc, p.xy, 0.5);
    r += textureGather(2, tca, s, p.xyz, i);
    r.x += textureSample(td, s, p.xy) + textureSampleLevel(tda, s, p.xy, i, 1) + textureSampleLevel(tdca, s, p.xyz, i, 0);
    r.y += textureSampleCompare(td, sc, p.xy, 0.5) + textureSampleCompare(tdc, sc, p.xyz, 0.5) + textureSampleCompareLevel(tdca, sc, p.xyz, i, 0.5);
    r.z += textureSampleCompareLevel(tda, sc, p.xy, i, p.z, vec2<i32>(1, 1));
    r += textureSampleBaseClampToEdge(t2, s, p.xy);
    return r;
}

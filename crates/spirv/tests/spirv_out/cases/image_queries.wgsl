@group(0) @binding(0) var t1: texture_1d<f32>;
@group(0) @binding(1) var t2: texture_2d<f32>;
@group(0) @binding(2) var t2a: texture_2d_array<i32>;
@group(0) @binding(3) var t3: texture_3d<u32>;
@group(0) @binding(4) var tc: texture_cube<f32>;
@group(0) @binding(5) var tca: texture_cube_array<f32>;
@group(0) @binding(6) var tm: texture_multisampled_2d<f32>;
@group(0) @binding(7) var td: texture_depth_2d;
@group(0) @binding(8) var tdm: texture_depth_multisampled_2d;
@group(0) @binding(9) var tdca: texture_depth_cube_array;
@group(0) @binding(10) var s1: texture_storage_1d<rgba8unorm, write>;
@group(0) @binding(11) var s2a: texture_storage_2d_array<r32float, read>;
@group(0) @binding(12) var s3: texture_storage_3d<rgba16float, write>;
@group(1) @binding(0) var<storage, read_write> out: array<vec4<u32>>;
@compute @workgroup_size(1) fn main() {
    out[0] = vec4<u32>(textureDimensions(t1), textureDimensions(t2), textureNumLevels(t2));
    out[1] = vec4<u32>(textureDimensions(t2a, 1), textureNumLayers(t2a), textureNumLevels(t2a));
    out[2] = vec4<u32>(textureDimensions(t3, 2u), textureNumLevels(t3));
    out[3] = vec4<u32>(textureDimensions(tc), textureDimensions(tca));
    out[4] = vec4<u32>(textureDimensions(tm), textureNumSamples(tm), textureNumLayers(tca));
    out[5] = vec4<u32>(textureDimensions(td), textureNumLevels(td), textureNumSamples(tdm));
    out[6] = vec4<u32>(textureDimensions(tdca), textureNumLayers(tdca), textureDimensions(s1));
    out[7] = vec4<u32>(textureDimensions(s2a), textureNumLayers(s2a), textureDimensions(s3).z);
}

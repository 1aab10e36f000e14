@group(0) @binding(0) var t1: texture_1d<f32>;
@group(0) @binding(1) var t2: texture_2d<i32>;
@group(0) @binding(2) var t2a: texture_2d_array<u32>;
@group(0) @binding(3) var t3: texture_3d<f32>;
@group(0) @binding(6) var tm: texture_multisampled_2d<f32>;
@group(0) @binding(7) var td: texture_depth_2d;
@group(0) @binding(8) var tda: texture_depth_2d_array;
@group(0) @binding(9) var tdm: texture_depth_multisampled_2d;
@group(1) @binding(0) var<storage, read_write> out: array<vec4<f32>>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[0] = textureLoad(t1, id.x, 0) + vec4<f32>(textureLoad(t2, id.xy, 1u)) + vec4<f32>(textureLoad(t2a, id.xy, id.z, 0));
    out[1] = textureLoad(t3, id, 0) + textureLoad(tm, id.xy, 2);
    out[2].x = textureLoad(td, id.xy, 0) + textureLoad(tda, vec2<i32>(id.xy), 1, 0) + textureLoad(tdm, id.xy, 3u);
}

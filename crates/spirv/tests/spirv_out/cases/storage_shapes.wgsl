@group(0) @binding(0) var a: texture_storage_1d<r32float, read_write>;
@group(0) @binding(1) var b: texture_storage_2d_array<rgba32float, read>;
@group(0) @binding(2) var c: texture_storage_3d<rgba16float, write>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let v = textureLoad(b, id.xy, id.z) + textureLoad(a, id.x);
    textureStore(a, id.x, v);
    textureStore(c, id, v);
}

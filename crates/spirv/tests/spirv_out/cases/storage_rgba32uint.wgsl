@group(0) @binding(0) var a: texture_storage_2d<rgba32uint, write>;
@group(0) @binding(1) var b: texture_storage_2d<rgba32uint, read>;
@group(0) @binding(2) var c: texture_storage_2d<rgba32uint, read_write>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let v = textureLoad(b, id.xy) + textureLoad(c, vec2<i32>(id.xy));
    textureStore(a, id.xy, v);
    textureStore(c, vec2<i32>(id.xy), v);
}

// 16-bit sint is extended with its sign.
//: needs textures
//: texture 0:0 2d rg16sint 1x1
//: in 0:0 u32 0x80007fff
//: out 0:1 i32 32767 -32768 0 1
@group(0) @binding(0) var t: texture_2d<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<i32>, 1>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 1u + id.x] = textureLoad(t, id.xy, 0);
}

// A load sees what the same invocation stored before, and not what it stores later.
//: needs textures
//: texture 0:0 2d r32sint 1x1
//: in 0:0 i32 5
//: out 0:0 i32 -7
//: out 0:1 i32 5 6 -7
@group(0) @binding(0) var t: texture_storage_2d<r32sint, read_write>;
@group(0) @binding(1) var<storage, read_write> out: array<i32, 3>;
@compute @workgroup_size(1) fn main() {
    let before = textureLoad(t, vec2(0)).x;
    textureStore(t, vec2(0), vec4(before + 1));
    let between = textureLoad(t, vec2(0)).x;
    textureStore(t, vec2(0), vec4(-7));
    out[0] = before;
    out[1] = between;
    out[2] = textureLoad(t, vec2(0)).x;
}

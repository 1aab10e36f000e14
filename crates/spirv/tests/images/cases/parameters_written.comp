#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) uniform image2D a;
layout(set = 0, binding = 1) uniform image2D b[3];
layout(set = 0, binding = 2) uniform image2D c;
void put(image2D to, ivec2 at, vec4 value) { imageStore(to, at, value); }
void twice(image2D to, ivec2 at) { put(to, at, vec4(1)); put(to, at + 1, vec4(2)); }
vec4 get(image2D from, ivec2 at) { return imageLoad(from, at); }
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    twice(a, at);
    twice(b[at.x], at);
    put(b[2], at, get(c, at));
}

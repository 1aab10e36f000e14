#version 450
// expect: textureSample(t, t_sampler, at, vec2<i32>(1, -2)) + textureLoad(t, vec2<i32>(at) + vec2<i32>(3, 4), 0);
layout(binding = 0) uniform sampler2D t;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main() { colour = textureOffset(t, at, ivec2(1, -2)) + texelFetchOffset(t, ivec2(at), 0, ivec2(3, 4)); }

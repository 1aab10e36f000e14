#version 450
layout(set = 0, binding = 0) uniform isampler2D ints;
layout(location = 0) in vec2 uv;
layout(location = 0) out ivec4 colour;
void main() { colour = texture(ints, uv); }

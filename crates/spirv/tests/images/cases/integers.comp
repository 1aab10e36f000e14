#version 450
// Outside fragment shaders GLSL's `texture` means level 0.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform usampler2DArray ints;
layout(set = 0, binding = 1) buffer Out { uvec4 texel; };
void main() { texel = texture(ints, vec3(0.25, 0.5, 1.0)); }

#version 450
// refuse: unsupported: texel buffers
layout(binding = 0) uniform samplerBuffer s;
layout(location = 0) out vec4 o;
void main() { o = texelFetch(s, 3); }

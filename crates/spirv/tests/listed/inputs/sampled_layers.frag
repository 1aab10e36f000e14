#version 450
// refuse: unsupported: multisampled images with layers
layout(binding = 0) uniform sampler2DMSArray s;
layout(location = 0) out vec4 o;
void main() { o = texelFetch(s, ivec3(0), 1); }

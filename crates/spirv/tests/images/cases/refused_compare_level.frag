#version 450
layout(set = 0, binding = 0) uniform sampler2DShadow shadow;
layout(location = 0) in vec4 uv;
layout(location = 0) out float c;
void main() { c = textureLod(shadow, uv.xyz, uv.w); }

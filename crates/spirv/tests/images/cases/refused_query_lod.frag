#version 450
layout(set = 0, binding = 0) uniform sampler2D tex;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec2 lod;
void main() { lod = textureQueryLod(tex, uv); }

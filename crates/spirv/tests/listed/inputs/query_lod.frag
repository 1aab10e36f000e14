#version 450
// refuse: unsupported: the level of detail that sampling would use
layout(binding = 0) uniform sampler2D s;
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 o;
void main() { o = textureQueryLod(s, a); }

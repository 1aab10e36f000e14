#version 450
// refuse: OpImageQueryLod: unsupported: the level of detail that sampling would use
layout(binding = 0) uniform sampler2D t;
layout(location = 0) in vec2 at;
layout(location = 0) out vec2 level;
void main() { level = textureQueryLod(t, at); }

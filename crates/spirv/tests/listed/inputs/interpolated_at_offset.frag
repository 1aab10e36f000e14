#version 450
// refuse: unsupported: InterpolateAtOffset
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 o;
void main() { o = interpolateAtOffset(a, vec2(0.25)) + a; }

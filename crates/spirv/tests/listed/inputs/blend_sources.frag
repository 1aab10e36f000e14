#version 450
// The first source has no number because it is 0.
// expect: @location(0) @blend_src(0)
// expect: @location(0) @blend_src(1)
layout(location = 0) out vec4 a;
layout(location = 0, index = 1) out vec4 b;
void main() { a = vec4(1); b = vec4(2); }

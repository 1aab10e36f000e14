#version 450
// expect: transpose
layout(binding = 0, row_major, std430) buffer B { mat2x3 m; vec2 v; vec3 r; };
void main() { r = m * v; }

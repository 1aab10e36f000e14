#version 450
// expect: 2139095040u
layout(binding = 0) buffer B { float d[]; };
void main() { d[0] = 1.0 / 0.0; }

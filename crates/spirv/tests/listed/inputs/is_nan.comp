#version 450
// expect: 2147483647u
layout(binding = 0) buffer B { float d[]; };
void main() { if (isnan(d[0]) || isinf(d[1])) d[2] = 1.0; }

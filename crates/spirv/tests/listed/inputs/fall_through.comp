#version 450
// expect: case 0u: {
// expect: default: {
layout(binding = 0) buffer B { uint d[]; };
void main() { uint x = d[0]; switch (x) { case 0u: x += 1u; case 1u: x *= 3u; break; default: x = 9u; } d[0] = x; }

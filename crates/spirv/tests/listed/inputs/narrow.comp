#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
// expect: array<atomic<u32>>
layout(binding = 0) buffer B { int16_t d[]; };
void main() { d[1] = d[0] + int16_t(3); }

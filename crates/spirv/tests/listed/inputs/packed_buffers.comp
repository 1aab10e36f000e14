#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_nonuniform_qualifier : require
// expect: words: array<atomic<u32>>,
// expect: binding_array<
layout(binding = 0) buffer B { uint8_t d[]; } b[4];
layout(binding = 1) buffer I { uint i[]; };
void main() { b[i[0]].d[i[1]] = uint8_t(uint(b[2].d[5])); }

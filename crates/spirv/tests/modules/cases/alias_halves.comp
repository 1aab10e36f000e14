// buffer: 0 0 0 0
// buffer: 0 0 0 0
// expect: 131073 131073 131073 131073
#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(std430, binding = 1) buffer A { uint16_t a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i * 2u] = uint16_t(1); a[i * 2u + 1u] = uint16_t(2); results[i] = b[i];
}

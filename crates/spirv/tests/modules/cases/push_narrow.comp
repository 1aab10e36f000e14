// buffer: 0 0 0 0
// immediates: 131073 262147 1076895760 1073757184
// expect: 19 36 53 70
#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { uint16_t a[4]; uint8_t b[4]; f16vec2 c; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = uint(p.a[i]) + uint(p.b[i]) + uint(p.c.y);
}

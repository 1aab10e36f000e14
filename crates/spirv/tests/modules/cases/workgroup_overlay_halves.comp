// buffer: 0 0 0 0
// expect: 65536 196610 327684 458758
#version 460
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared A { uint16_t a[8]; };
shared B { uint b[4]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i * 2u] = uint16_t(i * 2u); a[i * 2u + 1u] = uint16_t(i * 2u + 1u); barrier(); results[i] = b[i];
}

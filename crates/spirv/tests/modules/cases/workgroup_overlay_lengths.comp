// buffer: 0 0 0 0
// expect: 1077936128 1073741824 1065353216 0
#version 460
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared A { vec4 a; };
shared B { uint b[16]; };
shared C { float c[8]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i] = float(3u - i); b[8u + i] = 1u; barrier(); results[i] = floatBitsToUint(c[i]);
}

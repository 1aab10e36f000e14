// buffer: 0 0 0 0
// expect: 10 10 10 10
#version 460
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared A { int a[4]; };
shared B { uint b; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i == 0u) a[0] = 4; barrier(); atomicAdd(b, i); barrier(); results[i] = uint(a[0]);
}

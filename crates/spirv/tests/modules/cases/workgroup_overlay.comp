// buffer: 0 0 0 0
// expect: 0 1065353216 1073741824 1077936128
#version 460
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared A { float a[4]; };
shared B { uint b[4]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i] = float(i); barrier(); results[i] = b[i];
}

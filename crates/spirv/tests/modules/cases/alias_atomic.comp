// buffer: 0 0 0 0
// buffer: 1065353216 1073741824 1077936128 1082130432
// expect: 1065353219 1073741827 1077936131 1082130435
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(std430, binding = 1) buffer A { float a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    atomicAdd(b[i], 3u); results[i] = floatBitsToUint(a[i]);
}

// buffer: 0 0 0 0
// read: 1065353216 1073741824 1077936128 1082130432 5 6 7 8
// expect: 7 1073741826 9 1073741828
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { uvec4 b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = uint(a[i]) + (i % 2u == 0u ? b[1].y : b[0].y);
}

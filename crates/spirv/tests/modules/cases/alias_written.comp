// buffer: 0 0 0 0
// buffer: 0 0 0 0
// expect: 1073741824 1077936128 1082130432 1084227584
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(std430, binding = 1) buffer A { float a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i] = float(i) + 2.0; results[i] = b[i];
}

// buffer: 0 0 0 0
// immediates: 1069547520 1101004800 1133903872 1165623296
// expect: 3 40 600 8000
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { float a[4]; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = uint(p.a[i] * 2.0);
}

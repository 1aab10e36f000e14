// buffer: 0 0 0 0
// immediates: 10 11 12 13 14 15 16 17
// expect: 27 27 27 27
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { uint a[8]; } p;
uint item(uint k) { return p.a[k]; }
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = item(i) + item(7u - i);
}

// buffer: 0 0 0 0
// buffer: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
// expect: 32 32 32 32
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(std430, binding = 1) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uvec4 first; uvec2 b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = uint(a.length()) + uint(b.length()) - 2u;
}

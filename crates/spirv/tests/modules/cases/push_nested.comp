// buffer: 0 0 0 0
// immediates: 0 1 2 3 4 5 30 31 32 33 34 35 36 37
// expect: 34 41 36 43
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { int a[2][3]; ivec2 b[2][2]; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    int c[2][3] = p.a; results[i] = uint(p.a[i & 1u][1] + p.b[i & 1u][1].y + (i > 1u ? c[0][2] : 0));
}

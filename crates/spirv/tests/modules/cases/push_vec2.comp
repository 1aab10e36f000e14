// buffer: 0 0 0 0
// immediates: 1065353216 1073741824 1077936128 1082130432 1084227584 1086324736 1088421888 1090519040 9
// expect: 11 13 15 17
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { vec2 a[4]; uint n; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = uint(p.a[i].y) + p.n;
}

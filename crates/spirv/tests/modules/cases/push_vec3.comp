// buffer: 0 0 0 0
// immediates: 1065353216 1073741824 1077936128 0 1082130432 1084227584 1086324736
// expect: 3 6 1 5
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { vec3 a[2]; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = i < 2u ? uint(p.a[i].z) : uint(p.a[i - 2u][i - 2u]);
}

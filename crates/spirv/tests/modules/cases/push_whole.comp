// buffer: 0 0 0 0
// immediates: 5 0 0 0 1065353216 1073741824 1077936128 1082130432 1084227584 1086324736 1088421888 1090519040
// expect: 6 10 6 10
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { uint n; vec4 a[2]; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 all[2] = p.a; results[i] = uint(all[i & 1u].x) + p.n;
}

// buffer: 0 0 0 0
// immediates: 7 1065353216 1073741824 1077936128 1082130432 1084227584 1086324736 1088421888 1090519040 1091567616
// expect: 10 13 16 11
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(scalar, push_constant) uniform Block { uint n; vec3 a[3]; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = i < 3u ? p.n + uint(p.a[i].z) : p.n + uint(p.a[1].x);
}

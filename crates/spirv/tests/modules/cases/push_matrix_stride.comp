// buffer: 0 0 0 0
// immediates: 0 1065353216 1073741824 1077936128 1082130432 1084227584 1086324736 1088421888 1091567616 1092616192
// expect: 16 15 16 15
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { layout(offset = 0) mat2x2 m; layout(offset = 16) vec2 v[3]; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = uint(p.m[0][1] + p.v[0].y + (i % 2u == 0u ? p.v[2].y : p.v[2].x));
}

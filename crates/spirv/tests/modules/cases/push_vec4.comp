// buffer: 0 0 0 0
// immediates: 1065353216 1073741824 1077936128 1082130432 1084227584 1086324736 1088421888 1090519040 1091567616 1092616192 1093664768 1094713344 1095761920 1096810496 1097859072 1098907648
// expect: 5 13 21 29
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { vec4 a[4]; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 v = p.a[i]; results[i] = uint(v.x + v.w);
}

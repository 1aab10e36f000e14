// buffer: 0 0 0 0
// uniform: 0 1065353216 1073741824 1077936128 1082130432 1084227584 1086324736 1088421888 1090519040 1091567616 1092616192 1093664768 1094713344 1095761920 1096810496 1097859072
// expect: 1 9 17 25
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(std140, binding = 1) uniform A { vec4 a[4]; };
layout(std140, binding = 1) uniform B { mat4 b; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = uint(a[i].x + b[i].y);
}

// buffer: 0 0 0 0
// immediates: 0 1065353216 1073741824 1077936128 1082130432 1084227584 1086324736 1088421888 1120403456 1120534528 1120665600 1120796672 1120927744 1121058816 1121189888 1121320960 1121452032 1121583104 1121714176 1121845248
// expect: 106 116 106 116
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(push_constant) uniform Block { mat2 a[2]; layout(row_major) mat2x3 b[2]; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = uint(p.a[i & 1u][1][1] + p.b[i & 1u][1].y);
}

// buffer: 0 0 0 0
// immediates: 1065353216 0 0 0 1073741824 1077936128 1082130432 10 11 0 0 0 1084227584 0 0 0 1086324736 1088421888 1090519040 20 21 0 0 0 1091567616
// expect: 24 43 24 43
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
struct Item { float x; vec3 y; uint z[2]; };
layout(push_constant) uniform Block { Item a[2]; float b; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    Item s = p.a[i & 1u]; results[i] = uint(s.x + s.y.z) + p.a[i & 1u].z[i & 1u] + uint(p.b);
}

#version 450
// expect: subgroupShuffle(select(0u, 1u, global.d[i] > 4u), 2u) != 0u
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { uint d[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    bool a = subgroupBroadcastFirst(d[i] > 3u);
    bool b = subgroupShuffle(d[i] > 4u, 2u);
    bvec2 c = subgroupAnd(bvec2(d[i] > 5u, a));
    d[i] = uint(a) + 2u * uint(b) + 4u * uint(c.x) + 8u * uint(c.y);
}

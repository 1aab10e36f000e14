#version 450
#extension GL_KHR_shader_subgroup_basic : require
// The numbers of subgroups and of invocations in them, where naga has no builtins: found out at the start.
// expect: subgroupExclusiveAdd(1u)
// expect: subgroupBallot(true)
// expect: atomicAdd(&subgroups_so_far, 1u)
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer Out { uvec2 numbers[]; };
void main() {
    numbers[gl_LocalInvocationIndex] = uvec2(gl_SubgroupInvocationID, gl_SubgroupID);
}

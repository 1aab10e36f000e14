#version 450
#extension GL_KHR_shader_subgroup_ballot : require
// expect: diagnostic(off, subgroup_uniformity);
// expect: @builtin(subgroup_invocation_id)
// expect: @builtin(subgroup_size)
// expect: gl_SubgroupGtMask = vec4<u32>(
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { uvec4 d[]; };
void main() { d[gl_LocalInvocationIndex] = gl_SubgroupGtMask & subgroupBallot(true); }

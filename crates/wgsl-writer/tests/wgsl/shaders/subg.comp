#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
o[i]=subgroupAdd(i)+subgroupMul(i)+subgroupMin(i)+subgroupMax(i)+subgroupInclusiveAdd(i)+subgroupExclusiveAdd(i)+subgroupBroadcast(i,3u)+subgroupBroadcastFirst(i)+subgroupShuffle(i,o[0])+subgroupShuffleXor(i,1u)+subgroupShuffleUp(i,o[1])+subgroupShuffleDown(i,2u)+subgroupQuadBroadcast(i,1u)+subgroupQuadSwapHorizontal(i)+subgroupQuadSwapVertical(i)+subgroupQuadSwapDiagonal(i); uvec4 b=subgroupBallot(i>3u); o[1]=b.x+subgroupBallotBitCount(b)+gl_SubgroupSize+gl_SubgroupInvocationID+gl_SubgroupID+gl_NumSubgroups; if (subgroupAny(i>1u)&&subgroupAll(i<9u)&&subgroupElect()) o[2]=1u; if (i>2u) o[3]=subgroupAdd(i); f[0]=subgroupAdd(f[1])+subgroupInclusiveMul(f[2]); o[4]=subgroupInclusiveMin(i)+subgroupExclusiveOr(i); subgroupBarrier();
}

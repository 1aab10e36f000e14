#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x=64) in;
layout(set=0,binding=0) buffer B { uint d[]; };
void main(){
  uint i = gl_LocalInvocationIndex;
  uint x = d[i];
  uint r = 0;
  if (subgroupElect()) r += 1;
  if (subgroupAllEqual(bvec2(x>1,x>2))) r+=2;
  r += subgroupBroadcast(x, 3);
  r += uint(subgroupBroadcastFirst(x>5u));
  uvec4 b = subgroupBallot(x>3u);
  if (subgroupInverseBallot(b)) r += 7;
  r += subgroupBallotBitCount(b)+subgroupBallotInclusiveBitCount(b)+subgroupBallotExclusiveBitCount(b);
  r += subgroupBallotFindLSB(b)+subgroupBallotFindMSB(b);
  if (subgroupBallotBitExtract(b, i&31)) r+=3;
  r += subgroupShuffle(x, i^1)+subgroupShuffleXor(x,2)+subgroupShuffleUp(x,1)+subgroupShuffleDown(x,1);
  r += subgroupAdd(x)+subgroupMin(x)+subgroupInclusiveMax(x)+subgroupExclusiveXor(x)+subgroupClusteredAdd(x,4u);
  r += uint(subgroupExclusiveMin(float(x)));
  r += subgroupQuadSwapHorizontal(x)+subgroupQuadBroadcast(x,2);
  subgroupBarrier();
  barrier(); memoryBarrier();
  d[i]=r;
}

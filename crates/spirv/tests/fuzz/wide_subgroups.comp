#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
layout(local_size_x=64) in;
layout(set=0,binding=0) buffer B { uint d[]; };
void main(){
  uint i = gl_LocalInvocationIndex;
  i8vec3 a = i8vec3(d[i]); u16vec2 b = u16vec2(d[i]); i64vec2 c = i64vec2(d[i]); f16vec4 f = f16vec4(d[i]); dvec2 dd = dvec2(d[i]);
  a = subgroupAdd(a); b = subgroupInclusiveMin(b); c = subgroupExclusiveMax(c); f = subgroupMul(f); dd = subgroupClusteredAdd(dd, 2);
  f = subgroupExclusiveMin(f); dd = subgroupInclusiveMax(dd); a = subgroupExclusiveAnd(a); c=subgroupXor(c);
  a = subgroupShuffle(a, i & 3); f = subgroupQuadSwapVertical(f); dd = subgroupBroadcast(dd, 1);
  bool e = subgroupAllEqual(f) || subgroupAllEqual(a) || subgroupAllEqual(dd);
  bvec2 bb = subgroupOr(bvec2(e, true)); bb = subgroupClusteredXor(bb, 4);
  d[i] = uint(a.x)+uint(b.y)+uint(c.x)+uint(f.w)+uint(dd.y)+uint(e)+uint(bb.x);
}

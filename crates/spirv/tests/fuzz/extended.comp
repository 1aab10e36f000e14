#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_integer_dot_product : enable
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_NV_shader_subgroup_partitioned : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x=64) in;
layout(set=0,binding=0) buffer B { uint d[]; };
layout(set=0,binding=1) buffer C { uint8_t u8s[4]; i16vec3 s3; f16vec3 h3; double g[3]; int64_t i6; uint64_t u6; mat3 m3; dmat4 dm; f16mat2x2 hm; };
void main(){
  uint i = gl_LocalInvocationIndex;
  u6 = ballotARB(d[i] > 3u); d[i] = readInvocationARB(d[i], 2); d[i] += readFirstInvocationARB(d[i]);
  if (anyInvocationARB(d[i]>1u) && allInvocationsARB(d[i]>0u) && allInvocationsEqualARB(d[i]>2u)) d[i]++;
  uvec4 p = subgroupPartitionNV(d[i]); d[i] += subgroupPartitionedAddNV(d[i], p);
  h3 = clamp(h3, f16vec3(0), f16vec3(1)); h3 = mix(h3, h3.zyx, 0.5hf); h3 = normalize(h3); float16_t w; h3.x = modf(h3.y, w); h3.z = w;
  int e; h3.y = frexp(h3.x, e); h3.y = ldexp(h3.y, e); dm = inverse(dm); g[0] = determinant(dm); hm = inverse(hm); m3 = inverse(m3);
  s3 = min(s3, s3.zxy); s3 = abs(s3); s3 = sign(s3); u8s[1] = max(u8s[0], uint8_t(3)); s3 = clamp(s3, i16vec3(1), i16vec3(7));
  i6 = abs(i6); i6 = max(i6, int64_t(u6)); i6 = sign(i6); u6 = doubleBitsToUint64(g[1]); g[2] = int64BitsToDouble(i6);
  u16vec4 v = unpack16(u6); u6 = pack64(v.wzyx); u8vec4 r = unpack8(d[i]); d[i] = pack32(r.wzyx); d[i] += uint(pack16(r.xy));
  g[0] = fma(g[0], g[1], g[2]); g[1] = round(g[1]) + fract(g[0]) + mod(g[0], 2.0lf) + sqrt(g[2]) + inversesqrt(g[1]); g[1]= smoothstep(0.0lf, 1.0lf, g[1]);
  g[2] = length(dvec3(g[0],g[1],g[2])); g[2] += dot(dvec2(1), dvec2(g[0])); g[0] = isnan(g[0]) ? 1 : isinf(g[1]) ? 2 : 3;
  d[i] += findLSB(d[i]) + bitCount(d[i]) + findMSB(int(d[i])); d[i] += packSnorm4x8(vec4(h3, 1)) + packHalf2x16(vec2(h3.xy));
}

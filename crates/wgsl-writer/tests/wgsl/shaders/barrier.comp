#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
shared uint s[32];
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
s[gl_LocalInvocationIndex]=i; barrier(); memoryBarrierShared(); o[i]=s[31u-gl_LocalInvocationIndex]; memoryBarrierBuffer(); groupMemoryBarrier(); memoryBarrier(); for (uint st=16u; st>0u; st>>=1u) { if (gl_LocalInvocationIndex<st) s[gl_LocalInvocationIndex]+=s[gl_LocalInvocationIndex+st]; barrier(); } o[0]=s[0];
}

#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
shared uint s[32]; layout(set=0,binding=2) uniform U { uint n; } u;
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
if (u.n>3u) { s[gl_LocalInvocationIndex]=i; barrier(); } for (uint j=0;j<u.n;j++) { s[gl_LocalInvocationIndex]+=j; barrier(); } if (gl_WorkGroupID.x==1u) { barrier(); } if (gl_NumWorkGroups.x>2u) barrier(); o[i]=s[0];
}

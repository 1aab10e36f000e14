#version 450
layout(local_size_x_id=0, local_size_y=2) in;
layout(constant_id=1) const int N = 4;
layout(constant_id=2) const bool B = true;
shared uint sh[N*2+1];
layout(binding=0, std430) buffer D { uint d[]; };
const int M = B ? N : 3;
void main(){ uint i=gl_LocalInvocationIndex; sh[i % uint(M)] = i;  d[i]=sh[0] + uint(gl_WorkGroupSize.x); }

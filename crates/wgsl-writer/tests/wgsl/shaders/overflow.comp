#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
const int big=2147483647; o[0]=uint(big+1); o[1]=uint(big*2); o[2]=uint(-(-2147483647-1)); int m=-2147483647-1; o[3]=uint(m/-1); o[4]=4294967295u+i; o[5]=4294967295u*2u;
}

#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
o[0]=i<<32; o[1]=i>>33; o[2]=uint(k>>40); o[3]=1u<<31; o[4]=3u<<31; o[5]=uint(-1)<<i;
}

#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
uint g=5u; uint h[4]; const vec4 cc[2]=vec4[](vec4(1),vec4(2));
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
g++; h[k&3]=g; o[i]=g+h[1]; f[0]=cc[k&1];
}

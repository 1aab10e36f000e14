#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(push_constant) uniform P { mat4 m; int k[4]; } pc;
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
f[0]=pc.m*f[1]; o[0]=uint(pc.k[i&3]);
}

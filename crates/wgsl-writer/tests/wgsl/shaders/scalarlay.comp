#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(scalar,set=0,binding=2) buffer B { float x; vec3 v; vec3 w[2]; mat3 m; } b;
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
f[0]=vec4(b.v,b.x); b.w[k&1]=f[1].xyz; f[2].x=b.m[1][2];
}

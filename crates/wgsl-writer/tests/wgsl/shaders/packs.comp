#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
o[0]=packUnorm4x8(f[0]); o[1]=packSnorm4x8(f[0]); o[2]=packUnorm2x16(f[0].xy); o[3]=packSnorm2x16(f[0].xy); o[4]=packHalf2x16(f[0].xy); f[1]=unpackUnorm4x8(o[5])+unpackSnorm4x8(o[6]); f[2].xy=unpackHalf2x16(o[7])+unpackUnorm2x16(o[8])+unpackSnorm2x16(o[9]);
}

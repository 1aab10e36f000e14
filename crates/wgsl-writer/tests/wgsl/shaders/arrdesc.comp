#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(set=1,binding=0) uniform sampler2D t[4]; layout(set=1,binding=1) buffer B { vec4 d[]; } b[2]; layout(rgba8,set=1,binding=2) uniform image2D im[3];
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
f[0]=texture(t[1],vec2(0.5)); f[1]=b[i&1].d[k]; f[2]=imageLoad(im[2],ivec2(k));
}

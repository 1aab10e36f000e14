#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
struct S{float a; vec3 b;}; layout(std140,row_major,set=0,binding=2) uniform U { mat4 m; mat3 n; float arr[4]; vec2 v[2]; S s; mat2x3 q[2]; } u;
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
f[0]=u.m*f[1]; f[2].xyz=(u.n*f[1].xyz); f[3].x=u.arr[k&3]; f[4].xy=u.v[1]; f[5]=vec4(u.s.b,u.s.a);
}

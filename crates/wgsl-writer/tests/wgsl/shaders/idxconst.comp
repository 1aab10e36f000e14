#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
uint a[4]=uint[](1u,2u,3u,4u); o[0]=a[i&3]; const vec3 t[2]=vec3[](vec3(1),vec3(2)); f[0].xyz=t[k&1]; vec4 q=f[0]; q[k&3]=2.0; f[1]=q; mat3 m=mat3(f[0].xyz,f[1].xyz,f[2].xyz); m[k%3][1]=3.0; f[2].xyz=m[2];
}

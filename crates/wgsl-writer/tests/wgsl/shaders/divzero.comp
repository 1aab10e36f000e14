#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
o[0]=i/0u; o[1]=i%0u; o[2]=uint(k/0); o[3]=uint(k%0); f[0].x=f[1].x/0.0; f[0].y=1.0/0.0*f[1].y; f[0].z=0.0/0.0;
}

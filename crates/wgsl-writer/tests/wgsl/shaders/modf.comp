#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
float w; vec3 w3; f[0].x=modf(f[1].x,w)+w; f[0].yzw=modf(f[1].xyz,w3)+w3; int e; f[2].x=frexp(f[1].x,e)+float(e); ivec4 e4; f[3]=frexp(f[1],e4)+vec4(e4); f[4].x=ldexp(f[1].x,k); f[5]=ldexp(f[1],ivec4(k));
}

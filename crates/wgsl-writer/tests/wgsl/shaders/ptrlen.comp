#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(std430,set=0,binding=2) buffer R { uint n; vec3 a[]; } r;
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
o[o.length()-1]=uint(f.length()); o[1]=uint(r.a.length());
}

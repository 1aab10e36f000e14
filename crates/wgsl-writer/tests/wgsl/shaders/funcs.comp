#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
struct S { uint a; vec2 b[4]; }; S mk(uint x) { S s; s.a=x; s.b[0]=vec2(x); return s; } void ch(inout vec2 v) { v+=1.0; } void chs(inout S s) { s.a++; } void fill(out float q[3]) { for (int j=0;j<3;j++) q[j]=float(j); } void outp(out uint a,inout uint b) { a=b; b++; }
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
S s=mk(i); ch(s.b[k&3]); chs(s); o[i]=s.a+uint(s.b[1].x); float q[3]; fill(q); f[0].xyz=vec3(q[0],q[1],q[2]); uint z; outp(z,o[3]); o[4]=z;
}

#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
bvec3 b=lessThan(f[0].xyz,f[1].xyz); if (any(b)&&!all(b)||b.x!=b.y) o[0]=1u; bool q=k>3; bool r=q^^(o[1]==2u); o[2]=uint(r); f[2].xyz=mix(f[0].xyz,f[1].xyz,b); f[3].x=q?f[4].x:f[4].y; o[3]=uint(isnan(f[0].x))+uint(isinf(f[0].y)); bvec3 nb=not(b); o[4]=uint(nb.x);
}

#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
shared int c;
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
atomicAdd(o[0],1u); o[1]=atomicMin(o[2],i)+atomicMax(o[3],i)+atomicAnd(o[4],i)+atomicOr(o[5],i)+atomicXor(o[6],i)+atomicExchange(o[7],i)+atomicCompSwap(o[8],1u,2u); atomicAdd(c,1); barrier(); o[9]=uint(c); if (o[10]==1u) o[11]=o[12];
}

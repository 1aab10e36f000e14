#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(set=0,binding=2) coherent volatile restrict buffer C { uint o2[]; };
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
o2[i]=o2[i+1]+1u; memoryBarrierBuffer();
}

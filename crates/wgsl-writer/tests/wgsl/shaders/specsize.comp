#version 450
layout(local_size_z=1) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(local_size_x_id=4,local_size_y_id=5) in; 
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
o[i]=gl_WorkGroupSize.x*gl_LocalInvocationIndex;
}

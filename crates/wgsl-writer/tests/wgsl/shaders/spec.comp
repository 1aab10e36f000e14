#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(constant_id=0) const uint S=5; layout(constant_id=3) const int T=-2; layout(constant_id=1) const float FL=1.5; layout(constant_id=7) const bool B=true; shared uint sh[S];
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
o[0]=i*S+uint(T); f[0]=vec4(FL); if (B) o[1]=1u; uint a[S]; for (uint j=0;j<S;j++) a[j]=j*S; o[2]=a[i%S]; sh[i%S]=i; barrier(); o[3]=sh[0]; o[4]=uint(S*3+2);
}

#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(std430,set=0,binding=2) buffer Hb { f16vec4 h[]; };
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
f16vec4 a=f16vec4(f[0]); h[k]=a*float16_t(2.0)+h[k+1]; f[1]=vec4(h[k]); float16_t s=float16_t(f[2].x); f[3].x=float(sqrt(s));
}

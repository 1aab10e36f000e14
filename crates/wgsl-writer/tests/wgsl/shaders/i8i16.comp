#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(std430,set=0,binding=2) buffer A { uint8_t b8[]; }; layout(std430,set=0,binding=3) buffer Bb { int16_t b16[]; };
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
b8[i]=uint8_t(i)+b8[i+1]; b16[i]=int16_t(k)*b16[i+1]; o[0]=uint(b8[0])+uint(b16[1]);
}

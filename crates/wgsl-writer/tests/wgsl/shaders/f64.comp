#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(std430,set=0,binding=2) buffer I { int64_t i64[]; };
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
double d=double(f[0].x)*2.0lf+double(i); f[1].x=float(d); dvec3 q=dvec3(f[0].xyz); f[2].x=float(dot(q,q)); f[2].y=float(sqrt(d)); f[2].z=float(floor(d)+fract(d)); i64[0]=i64[1]*3l+int64_t(d);
}

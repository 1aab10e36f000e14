#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
f[0]=vec4(pow(-1.0,0.5),sqrt(-1.0),log(0.0),inversesqrt(0.0)); f[1]=vec4(asin(2.0),acos(-3.0),exp(1000.0),log(-1.0)); f[2]=vec4(clamp(f[3].x,1.0,0.0),smoothstep(1.0,0.0,f[3].y),smoothstep(1.0,1.0,f[3].z),ldexp(f[3].x,200)); f[4]=vec4(mod(f[3].x,0.0),normalize(vec3(0.0)).x,acosh(0.5),atanh(2.0)); f[5].x=intBitsToFloat(0x7f800000); f[5].y=intBitsToFloat(0x7fc00000); f[5].z=uintBitsToFloat(0xffffffffu)+f[3].w;
}

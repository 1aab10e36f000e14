#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };
layout(rgba8,set=1,binding=0) uniform readonly image2D ra; layout(rgba16f,set=1,binding=1) uniform writeonly image2D wa; layout(r32ui,set=1,binding=2) uniform writeonly uimage2DArray wb; layout(set=1,binding=3) uniform sampler2D t; layout(set=1,binding=4) uniform sampler2DMS ms; layout(set=1,binding=5) uniform sampler2DArray ta; layout(set=1,binding=6) uniform samplerCube tc; layout(set=1,binding=7) uniform sampler3D t3; layout(set=1,binding=8) uniform sampler2DShadow sh; layout(set=1,binding=9) uniform isampler2D ti; layout(set=1,binding=10) uniform sampler1D t1;
void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
ivec2 p=ivec2(gl_GlobalInvocationID.xy); vec4 a=imageLoad(ra,p); imageStore(wa,p,a*2.0); imageStore(wb,ivec3(p,1),uvec4(i)); o[0]=uint(imageSize(wb).z)+uint(imageSize(ra).x); f[0]=texelFetch(t,p,1)+textureLod(t,vec2(0.5),1.0)+vec4(textureSize(t,0),textureQueryLevels(t),0); f[1]=texelFetch(ms,p,2)+vec4(textureSamples(ms)); f[2]=textureGather(t,vec2(0.3),2)+textureGrad(t,vec2(0.2),vec2(0.1),vec2(0.2)); f[3]=textureLod(ta,vec3(0.1,0.2,1.0),0.0)+textureLod(tc,vec3(1,0,0),0.0)+textureLod(t3,vec3(0.5),0.0); f[4].x=textureLod(sh,vec3(0.5,0.5,0.3),0.0)+textureGather(sh,vec2(0.5),0.3).x; f[5]=vec4(texelFetch(ti,p,0))+texelFetch(t1,3,0)+textureLod(t1,0.5,0.0);
}

#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;
struct Light { vec3 pos; vec3 col; vec2 att; }; layout(std140,set=0,binding=0) uniform U { vec4 light; float shine; int count; Light lights[8]; } u;
void main() {
vec3 N=normalize(n); vec3 L=normalize(u.light.xyz); float d=max(dot(N,L),0.0); vec3 V=normalize(-n); vec3 Hh=normalize(L+V); float sp=pow(max(dot(N,Hh),0.0),u.shine); vec3 c=vec3(0); for (int i=0;i<u.count;i++) { Light l=u.lights[i]; float at=1.0/(l.att.x+l.att.y*distance(l.pos,n)); c+=l.col*at*d; } col=vec4(c+sp,1.0);
}

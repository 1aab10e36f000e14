#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;

void main() {
vec3 ro=vec3(0,0,-3),rd=normalize(vec3(uv*2.0-1.0,1.5)); float t=0.0; int i; for (i=0;i<64;i++) { vec3 p=ro+rd*t; float d=min(length(p)-1.0,p.y+1.0); if (d<0.001) break; t+=d; if (t>20.0) break; } vec3 c=vec3(0); if (t<20.0) { vec3 p=ro+rd*t; c=reflect(rd,normalize(p))*0.5+0.5; c=refract(c,n,1.3)+faceforward(c,n,rd); } col=vec4(c,1);
}

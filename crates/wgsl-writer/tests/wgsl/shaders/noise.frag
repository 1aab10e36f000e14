#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;

void main() {
vec2 q=fract(sin(vec2(dot(uv,vec2(127.1,311.7)),dot(uv,vec2(269.5,183.3))))*43758.5453); float a=0.0; for (int i=0;i<8;i++) { a+=abs(sin(q.x*float(i)))/pow(2.0,float(i)); q=mat2(0.8,-0.6,0.6,0.8)*q*2.0; } col=vec4(mix(vec3(0.1,0.2,0.3),vec3(1.0,0.8,0.5),smoothstep(0.0,1.0,a)),1.0);
}

#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;
layout(set=0,binding=0) uniform texture2D t; layout(set=0,binding=1) uniform sampler s; layout(set=0,binding=2) uniform texture2DArray ta; layout(set=0,binding=3) uniform texture2D d; layout(set=0,binding=4) uniform samplerShadow c; layout(set=0,binding=5) uniform texture2DArray da; layout(set=0,binding=6) uniform textureCube dc;
void main() {
col=texture(sampler2D(t,s),uv)+texture(sampler2DArray(ta,s),vec3(uv,1.0))+vec4(texture(sampler2DShadow(d,c),vec3(uv,0.5)))+vec4(texture(sampler2DArrayShadow(da,c),vec4(uv,1,0.5)))+vec4(texture(samplerCubeShadow(dc,c),vec4(n,0.5)));
}

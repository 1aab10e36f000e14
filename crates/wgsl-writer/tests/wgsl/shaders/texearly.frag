#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;
layout(set=0,binding=0) uniform sampler2D t;
void main() {
if (uv.x<0.5) { discard; } col=texture(t,uv,1.5)+textureProj(t,vec3(uv,1.0))+textureOffset(t,uv,ivec2(1,-2))+textureLodOffset(t,uv,2.0,ivec2(3))+texelFetchOffset(t,ivec2(uv),0,ivec2(1)); if (uv.y>0.7) return; col+=texture(t,uv)+textureGatherOffset(t,uv,ivec2(1,2),1)+textureProjLod(t,vec4(uv,0,1),1.0);
}

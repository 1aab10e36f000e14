#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;
layout(set=0,binding=0) uniform sampler2D t;
void main() {
col=vec4(textureQueryLod(t,uv),0,0);
}

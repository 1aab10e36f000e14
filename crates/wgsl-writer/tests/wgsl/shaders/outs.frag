#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;
layout(location=1) out uvec2 a; layout(location=2) out float b; layout(location=3) out ivec4 c;
void main() {
col=vec4(1); a=uvec2(2u); b=3.0; c=ivec4(id);
}

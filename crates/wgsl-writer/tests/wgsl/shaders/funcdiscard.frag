#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;
float ff(float x) { if (x>0.5) discard; return x*2.0; }
void main() {
col=vec4(ff(uv.x));
}

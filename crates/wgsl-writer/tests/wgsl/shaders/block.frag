#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;
layout(location=3) in B { vec4 c; float k[2]; mat3 m; } b;
void main() {
col=b.c*b.k[1]+vec4(b.m[0],0);
}

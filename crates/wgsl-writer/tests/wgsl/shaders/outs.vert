#version 450
layout(location=0) in vec3 p; layout(location=1) in vec2 t;
layout(location=0) out vec2 uv;
layout(location=3) out B { vec4 c; float k[2]; } b; layout(location=6) out mat3 m; layout(location=10) flat out ivec3 q;
void main() {
gl_Position=vec4(p,1); uv=t; b.c=vec4(1); b.k[1]=2.0; m=mat3(p,p,p); q=ivec3(1);
}

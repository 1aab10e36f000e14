#version 450
layout(location=0) in vec3 p; layout(location=1) in vec2 t;
layout(location=0) out vec2 uv;
layout(location=2) in vec4 w; layout(location=3) in ivec4 j; layout(location=1) out vec3 nn; layout(std430,set=0,binding=0) readonly buffer Bn { mat4 b[]; }; layout(set=0,binding=1) uniform U { mat4 vp; } u;
void main() {
mat4 s=w.x*b[j.x]+w.y*b[j.y]+w.z*b[j.z]+w.w*b[j.w]; gl_Position=u.vp*(s*vec4(p,1)); uv=t; nn=normalize(mat3(s)*p);
}

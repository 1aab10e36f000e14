#version 450
layout(location=0) in vec3 p; layout(location=1) in vec2 t;
layout(location=0) out vec2 uv;
layout(set=0,binding=0) uniform U { mat4 m; } u;
void main() {
gl_Position=u.m*vec4(p,1.0); uv=t+vec2(gl_VertexIndex,gl_InstanceIndex); gl_PointSize=1.0;
}

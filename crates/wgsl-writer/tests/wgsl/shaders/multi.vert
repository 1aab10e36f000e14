#version 450
#extension GL_EXT_multiview : require
layout(location=0) in vec3 p; layout(location=1) in vec2 t;
layout(location=0) out vec2 uv;

void main() {
gl_Position=vec4(p,float(gl_ViewIndex)); uv=t;
}

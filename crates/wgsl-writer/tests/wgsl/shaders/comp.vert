#version 450
layout(location=0) in vec3 p; layout(location=1) in vec2 t;
layout(location=0) out vec2 uv;
layout(location=1,component=0) out float a; layout(location=1,component=1) out vec2 bb;
void main() {
gl_Position=vec4(p,1); uv=t; a=1.0; bb=vec2(2);
}

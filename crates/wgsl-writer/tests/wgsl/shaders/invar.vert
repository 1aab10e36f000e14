#version 450
layout(location=0) in vec3 p; layout(location=1) in vec2 t;
layout(location=0) out vec2 uv;
layout(set=0,binding=0) uniform sampler2D h; invariant gl_Position;
void main() {
gl_Position=vec4(p,1); uv=textureLod(h,t,0.0).xy;
}

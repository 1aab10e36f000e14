#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;

void main() {
gl_SampleMask[0]=gl_SampleMaskIn[0]&3; col=vec4(gl_SamplePosition,float(gl_SampleID),0);
}

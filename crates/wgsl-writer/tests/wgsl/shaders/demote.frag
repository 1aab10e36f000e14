#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;

void main() {
if (uv.x>0.5) demote; col=vec4(dFdx(uv.x),helperInvocationEXT()?1:0,0,0);
}

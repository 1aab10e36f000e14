#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;

void main() {
gl_FragDepth=uv.x; col=vec4(gl_FragCoord.xy,gl_FrontFacing?1.0:0.0,float(gl_PrimitiveID));
}

#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;
layout(set=0,binding=0) uniform sampler2D t;
void main() {
col=texture(t,uv); if (id>3) col+=texture(t,uv*2.0); for (int i=0;i<id;i++) col+=texture(t,uv+float(i)); col+=dFdx(uv.x)+fwidth(n.y)+dFdyFine(uv.y)+dFdxCoarse(n.z);
}

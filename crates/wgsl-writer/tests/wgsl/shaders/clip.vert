#version 450
layout(location=0) in vec3 p; layout(location=1) in vec2 t;
layout(location=0) out vec2 uv;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() {
gl_Position=vec4(p,1); gl_ClipDistance[0]=p.x; gl_ClipDistance[1]=p.y; uv=t;
}

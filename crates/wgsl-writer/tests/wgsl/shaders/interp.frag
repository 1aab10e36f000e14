#version 450
layout(location=0) in vec2 uv; layout(location=1) in flat int id; layout(location=2) in vec3 n;
layout(location=0) out vec4 col;
layout(location=3) in centroid vec3 a; layout(location=4) in noperspective vec3 b; layout(location=5) in sample vec3 c; layout(location=6) in float d; layout(location=7) in flat float f;
void main() {
col=vec4(a.x+b.y+c.z+d,f,f,f);
}

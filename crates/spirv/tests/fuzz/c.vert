#version 450
layout(location=0) in mat3 m;
layout(location=3) in vec3 p;
layout(location=0) out struct { vec3 n; float a[2]; } o;
void main(){ o.n = m*p; o.a[0]=1.0; o.a[1]=p.x; gl_Position=vec4(p, float(gl_VertexIndex)); gl_PointSize=1.0; }

// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
void main() { gl_Position = at; }
#else
layout(location = 0) out vec4 result;
float at_x() { return gl_FragCoord.x; }
void main() { result = vec4(at_x(), gl_FragCoord.w, gl_FragCoord.z, gl_FragCoord[int(gl_FragCoord.x) & 3]); }
#endif

// rgba32float samples=4
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 a;
void main() { gl_Position = at; a = noise; }
#else
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 result;
void main() { result = a * float(gl_SampleID + 1); if (gl_SampleID == 2) discard; }
#endif

// rgba32float
#version 450
#extension GL_EXT_terminate_invocation : require
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
void main() { gl_Position = at; colour = noise; }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
float check(float x) { if (x > 0.9) terminateInvocation; return x * 2.0; }
void main() { result = colour; result.x = check(colour.y); }
#endif

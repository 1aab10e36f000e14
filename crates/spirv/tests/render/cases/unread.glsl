// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 nobody;
layout(location = 2) flat out int whole;
void main() { gl_Position = at; colour = noise; nobody = noise.wzyx; whole = 3; }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = colour; }
#endif

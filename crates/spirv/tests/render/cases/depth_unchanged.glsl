// rgba32float depth
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
void main() { gl_Position = at; colour = noise; }
#else
layout(early_fragment_tests) in;
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = colour; if (colour.x > 0.5) discard; }
#endif

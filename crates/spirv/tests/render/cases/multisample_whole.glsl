// rgba32float rgba32uint samples=4 depth
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 2) in uvec4 numbers;
layout(location = 0) out vec4 colour;
layout(location = 1) flat out uvec4 whole;
void main() { gl_Position = at; colour = noise; whole = numbers; }
#else
layout(location = 0) in vec4 colour;
layout(location = 1) flat in uvec4 whole;
layout(location = 0) out vec4 result;
layout(location = 1) out uvec4 more;
void main() { result = colour; more = whole; if (colour.x > 1.2) discard; gl_FragDepth = clamp(colour.y * 0.5 + 0.5, 0.0, 1.0); }
#endif

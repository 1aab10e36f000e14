// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1, component = 0) in vec2 low;
layout(location = 1, component = 2) in float high;
layout(location = 5, component = 3) in float only;
layout(location = 0) out vec4 colour;
void main() { gl_Position = at; colour = vec4(low, high, only); }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = colour; }
#endif

// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
out gl_PerVertex { vec4 gl_Position; };
layout(location = 0) out vec4 colour;
void place(vec4 where) { gl_Position = where; gl_Position.x += 0.25; gl_Position.y *= 0.5; }
void main() { place(at); colour = gl_Position + noise; }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = colour; }
#endif

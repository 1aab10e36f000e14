// rgba32float rgba32float rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
void main() { gl_Position = at; colour = noise; }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 results[3];
void main() { for (int i = 0; i < 3; i++) results[i] = colour * float(i + 1); results[int(gl_FragCoord.x) % 3].y = 7.0; }
#endif

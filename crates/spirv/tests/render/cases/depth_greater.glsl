// rgba32float depth
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
void main() { gl_Position = at; colour = noise; }
#else
layout(depth_greater) out float gl_FragDepth;
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = colour; gl_FragDepth = min(gl_FragCoord.z + abs(colour.x) * 0.2, 1.0); }
#endif

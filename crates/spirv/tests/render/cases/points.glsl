// rgba32float points
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
void main() { gl_Position = vec4(at.xy / at.w * 0.7, 0.5, 1.0); gl_Position.x += float(gl_InstanceIndex) * 0.1; gl_PointSize = 1.0; colour = noise; }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = colour; }
#endif

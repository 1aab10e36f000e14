// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
void main() { gl_Position = at; if (at.x < 0.0) colour = noise; else colour = vec4(0.0); }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = vec4(1.0, 2.0, 3.0, 4.0); if (gl_FragCoord.x > 9.0) result.yz = colour.xy; if (gl_FragCoord.y > 12.0) return; result.w += 1.0; }
#endif

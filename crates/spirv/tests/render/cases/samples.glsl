// rgba32float rgba32uint samples=4
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 4) in mat4 matrix;
layout(location = 0) sample out vec4 a;
layout(location = 1) noperspective sample out vec4 b;
layout(location = 2) out vec4 c;
void main() { gl_Position = at; a = noise; b = matrix[0]; c = matrix[1]; }
#else
layout(location = 0) sample in vec4 a;
layout(location = 1) noperspective sample in vec4 b;
layout(location = 2) in vec4 c;
layout(location = 0) out vec4 result;
layout(location = 1) out uvec4 more;
void main() { result = a + b * 0.5 + c; more = uvec4(gl_SampleID, gl_SampleMaskIn[0], uint(gl_FragCoord.x), uint(gl_SampleID) * 7u); }
#endif

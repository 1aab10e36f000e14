// rgba32float samples=4
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 4) in mat4 matrix;
layout(location = 0) flat out vec4 a;
layout(location = 1) noperspective out vec4 b;
layout(location = 2) centroid out vec4 c;
layout(location = 3) noperspective centroid out vec4 d;
layout(location = 4) out vec4 e;
void main() { gl_Position = at; a = noise; b = matrix[0]; c = matrix[1]; d = matrix[2]; e = matrix[3]; }
#else
layout(location = 0) flat in vec4 a;
layout(location = 1) noperspective in vec4 b;
layout(location = 2) centroid in vec4 c;
layout(location = 3) noperspective centroid in vec4 d;
layout(location = 4) in vec4 e;
layout(location = 0) out vec4 result;
void main() { result = a + b + c * 0.5 + d * 2.0 + e; }
#endif

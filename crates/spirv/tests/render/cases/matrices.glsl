// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 4) in mat4 matrix;
layout(location = 0) out mat4x2 a;
layout(location = 4) out mat2x4 b;
layout(location = 6) flat out mat3 c;
void main() { gl_Position = at; a = mat4x2(matrix); b = mat2x4(matrix) * 0.5; c = mat3(matrix); }
#else
layout(location = 0) in mat4x2 a;
layout(location = 4) in mat2x4 b;
layout(location = 6) flat in mat3 c;
layout(location = 0) out vec4 result;
void main() { result = b * (a * vec4(1.0, 2.0, 0.5, 0.25)); result.xyz += c[2] + c * vec3(0.5, 1.0, 2.0); }
#endif

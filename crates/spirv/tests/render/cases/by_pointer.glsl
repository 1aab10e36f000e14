// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 4) in mat4 matrix;
layout(location = 0) out vec4 colour;
layout(location = 1) out mat3 turned;
void fill(out vec4 to, in vec4 from, inout mat3 m) { to = from.wzyx; m[1] = from.xyz; m = m * 0.5; }
void main() { gl_Position = at; turned = mat3(matrix); fill(colour, noise, turned); }
#else
layout(location = 0) in vec4 colour;
layout(location = 1) in mat3 turned;
layout(location = 0) out vec4 result;
void add(inout vec4 to, vec4 what) { to += what; }
vec3 column(mat3 m, int i) { return m[i]; }
void main() { result = vec4(0.5); add(result, colour); vec4 copy = colour; add(copy, result); add(result, copy); result.xyz += column(turned, int(gl_FragCoord.y) % 3); }
#endif

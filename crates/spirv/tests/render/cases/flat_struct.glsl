// rgba32sint
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 2) in uvec4 numbers;
layout(location = 3) in ivec4 signs;
struct S { ivec2 a; int b[2]; uint c; };
layout(location = 1) flat out S s;
void main() { gl_Position = at; s = S(signs.xy, int[](signs.z, signs.w), numbers.x); }
#else
struct S { ivec2 a; int b[2]; uint c; };
layout(location = 1) flat in S s;
layout(location = 0) out ivec4 result;
void main() { S copy = s; copy.b[1] ^= 5; result = ivec4(copy.a, copy.b[int(gl_FragCoord.x) & 1], int(copy.c)); }
#endif

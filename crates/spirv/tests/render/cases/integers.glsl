// rgba32uint rgba32sint
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 2) in uvec4 numbers;
layout(location = 3) in ivec4 signs;
layout(location = 0) flat out uint a;
layout(location = 1) flat out ivec2 b[2];
layout(location = 3) flat out uvec3 c;
void main() { gl_Position = at; a = numbers.x; b[0] = signs.xy; b[1] = signs.zw; c = numbers.yzw; }
#else
layout(location = 0) flat in uint a;
layout(location = 1) flat in ivec2 b[2];
layout(location = 3) flat in uvec3 c;
layout(location = 0) out uvec4 result;
layout(location = 1) out ivec4 more;
void main() { result = uvec4(a, c * uint(b[0].x)); more = ivec4(b[0] + b[1], b[int(gl_FragCoord.x) & 1]); }
#endif

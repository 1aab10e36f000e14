// rgba32float rgba32uint rgba32sint rg32float r32uint
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 2) in uvec4 numbers;
layout(location = 3) in ivec4 signs;
layout(location = 0) out vec4 colour;
layout(location = 1) flat out uvec4 a;
layout(location = 2) flat out ivec4 b;
void main() { gl_Position = at; colour = noise; a = numbers; b = signs; }
#else
layout(location = 0) in vec4 colour;
layout(location = 1) flat in uvec4 a;
layout(location = 2) flat in ivec4 b;
layout(location = 1) out uvec4 second;
layout(location = 0) out vec4 first;
layout(location = 4) out uint fifth;
layout(location = 3) out vec2 fourth;
layout(location = 2) out ivec4 third;
void main() {
    first = colour; second = a ^ uvec4(b); third = b >> 3; fourth = colour.zw; fifth = a.x / 3u + uint(b.y);
}
#endif

// rgba32float rgba32uint
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 2) in uvec4 numbers;
layout(location = 0) out vec4 colour;
layout(location = 1) flat out uvec4 whole;
void main() { gl_Position = at; colour = noise; whole = numbers; }
#else
layout(location = 0) in vec4 colour;
layout(location = 1) flat in uvec4 whole;
layout(location = 0, component = 0) out float a;
layout(location = 0, component = 1) out vec2 b;
layout(location = 0, component = 3) out float c;
layout(location = 1, component = 0) out uvec3 d;
layout(location = 1, component = 3) out uint e;
void main() { a = colour.w; b = colour.xy; c = colour.z; d = whole.wzy; e = whole.x; }
#endif

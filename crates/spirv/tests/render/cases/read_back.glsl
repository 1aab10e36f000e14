// rgba32float rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 sum;
void accumulate() { sum = colour + gl_Position; colour.x = sum.y; }
void main() { gl_Position = at; colour = noise; accumulate(); accumulate(); }
#else
layout(location = 0) in vec4 colour;
layout(location = 1) in vec4 sum;
layout(location = 0) out vec4 result;
layout(location = 1) out vec4 other;
void step_() { other = result * 2.0; result.xy = other.zw; }
void main() { result = colour; for (int i = 0; i < 3; i++) step_(); other += sum; }
#endif

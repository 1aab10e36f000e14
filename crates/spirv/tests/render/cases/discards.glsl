// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
void main() { gl_Position = at; colour = noise; }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
float check(float x) { if (x > 0.9) discard; return x * 2.0; }
float always(float x) { if (x < -0.9) { discard; } else { return x; } return 3.0; }
void main() { result = colour; result.x = check(colour.y); for (int i = 0; i < 4; i++) { if (colour[i] > 1.5) discard; result.y += always(colour[i]); } }
#endif

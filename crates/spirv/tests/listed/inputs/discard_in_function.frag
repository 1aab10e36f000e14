#version 450
// expect: discard;
// expect: return 0.0;
layout(location = 0) in float x;
layout(location = 0) out float y;
float f(float v) { if (v < 0.0) discard; return sqrt(v); }
void main() { y = f(x); }

#version 450
// expect: global.t = S(array<f32, 3>(e1.a[0].element, e1.a[1].element, e1.a[2].element), e1.b);
layout(local_size_x = 1) in;
struct S { float a[3]; vec2 b; };
layout(std140, binding = 0) uniform U { S s; };
layout(std430, binding = 1) buffer B { S t; };
void main() { t = s; }

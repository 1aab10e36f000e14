#version 450
// expect: @id(3) override N: i32 = 4;
layout(constant_id = 3) const int N = 4;
layout(binding = 0) buffer B { int d[]; };
void main() { d[0] = N * 2 + 1; }

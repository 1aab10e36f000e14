#version 450
layout(local_size_x = 4) in;
struct S { uint a; };
layout(set = 0, binding = 0) buffer B { uint o[]; };
void main() { S a = S(1u); S b = S(2u); if (a == b) o[0] = 1u; }

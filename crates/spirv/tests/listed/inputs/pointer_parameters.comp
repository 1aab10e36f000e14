#version 450
// expect: fn swap(a: ptr<function, u32>, b: ptr<function, u32>) {
// expect: swap(&param, &param_1);
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint d[]; };
shared uint counts[4];
void swap(inout uint a, inout uint b) { uint c = a; a = b; b = c; }
void main() { uint x = d[0], y = d[1]; swap(x, y); d[0] = x; d[1] = y; }

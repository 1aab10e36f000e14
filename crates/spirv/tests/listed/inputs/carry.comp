#version 450
// expect: <
layout(binding = 0) buffer B { uint d[]; };
void main() { uint c; d[0] = uaddCarry(d[0], d[1], c); d[1] = c; uint h, l; umulExtended(d[2], d[3], h, l); d[2] = h; d[3] = l; }

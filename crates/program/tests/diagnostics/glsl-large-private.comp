#version 450
#define SIDE 65536
const uint depth = 2u;
uint a[SIDE][SIDE][depth];
void main() { a[0][0][0] = 1; }

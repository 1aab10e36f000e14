#version 450
#define ONE(x) x x x x x x x x x x x x x x x x
/* a comment
*/ void main() { int x = 1; ONE(ONE(ONE(ONE(ONE(ONE(+1)))))); }

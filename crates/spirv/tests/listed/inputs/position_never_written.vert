#version 450
// expect: @builtin(position)
layout(location = 0) out float a;
void main() { a = 1.0; }

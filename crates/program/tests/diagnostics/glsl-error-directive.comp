#version 450
#error no
void main() {}

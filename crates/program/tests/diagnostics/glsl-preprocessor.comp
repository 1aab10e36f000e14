#version 450
#if 1
void main() {}

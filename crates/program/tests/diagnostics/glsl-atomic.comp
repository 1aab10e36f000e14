#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { uint o[]; };
void main() { atomicAdd(o[0], 1u); }

#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 1) buffer Old { uint old; };
void main() { old = imageAtomicAdd(counts, ivec2(0), 1u); }

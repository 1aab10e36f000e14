#version 450
// expect: textureAtomicAdd(image, vec2<i32>(gl_GlobalInvocationID.xy), 3u);
layout(local_size_x = 1) in;
layout(binding = 0, r32ui) uniform uimage2D image;
void main() { imageAtomicAdd(image, ivec2(gl_GlobalInvocationID.xy), 3u); }

#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, rgba8) uniform writeonly image2DMS samples;
void main() { imageStore(samples, ivec2(0), 0, vec4(1)); }

#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 1, r32i) uniform iimage2DArray signed;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageAtomicAdd(counts, at, 3u);
    imageAtomicMax(counts, at, 7u);
    imageAtomicOr(counts, at, 8u);
    imageAtomicMin(signed, ivec3(at, 1), -7);
    imageAtomicXor(signed, ivec3(at, 1), 1);
}

#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform image2D read;
layout(set = 0, binding = 1, rgba16f) uniform image2D written;
layout(set = 0, binding = 2, r32ui) uniform uimage2D both;
layout(set = 0, binding = 3, rgba8) uniform readonly image2D unread;
layout(set = 0, binding = 4, r32i) uniform iimage1D one;
layout(set = 0, binding = 5, rgba32f) uniform image3D three;
layout(set = 0, binding = 6, rgba8_snorm) uniform image2DArray layers;
layout(set = 0, binding = 7, rgba8i) uniform iimageCube sky;
layout(set = 0, binding = 8) uniform writeonly uimage2D any;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(written, at, imageLoad(read, at));
    imageStore(both, at, imageLoad(both, at) * 2u);
    imageStore(one, at.x, ivec4(imageSize(unread), 0, 0));
    imageStore(three, ivec3(at, 1), vec4(1));
    imageStore(layers, ivec3(at, 2), vec4(0.5));
    imageStore(sky, ivec3(at, 3), ivec4(-1));
    imageStore(any, at, uvec4(7));
}

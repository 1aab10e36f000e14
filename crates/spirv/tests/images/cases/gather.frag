#version 450
layout(set = 0, binding = 0) uniform sampler2D tex;
layout(set = 0, binding = 1) uniform isampler2D ints;
layout(set = 0, binding = 2) uniform sampler2DShadow shadow;
layout(set = 0, binding = 3) uniform samplerCube sky;
layout(location = 0) in vec3 uv;
layout(location = 0) out vec4 colour;
void main() {
    const ivec2 corners[4] = ivec2[](ivec2(0), ivec2(1, 0), ivec2(0, -8), ivec2(7));
    vec4 c = textureGather(tex, uv.xy) + textureGather(tex, uv.xy, 3) + textureGather(sky, uv, 2);
    c += textureGatherOffset(tex, uv.xy, ivec2(3, 4), 1) + vec4(textureGather(ints, uv.xy, 1));
    c += textureGatherOffsets(tex, uv.xy, corners, 2);
    c += textureGather(shadow, uv.xy, uv.z) + textureGatherOffsets(shadow, uv.xy, uv.z, corners);
    colour = c;
}

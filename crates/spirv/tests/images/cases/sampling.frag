#version 450
layout(set = 0, binding = 0) uniform sampler1D one;
layout(set = 0, binding = 1) uniform sampler2D two;
layout(set = 0, binding = 2) uniform sampler3D three;
layout(location = 0) in vec4 uv;
layout(location = 0) out vec4 colour;
void main() {
    vec4 c = texture(one, uv.x) + textureLod(one, uv.x, 0.0) + textureGrad(one, uv.x, 0.5, 0.25);
    c += texture(two, uv.xy) + texture(two, uv.xy, uv.z) + textureLod(two, uv.xy, uv.w);
    c += textureGrad(two, uv.xy, uv.xz, uv.yw) + textureOffset(two, uv.xy, ivec2(-8, 7));
    c += textureOffset(two, uv.xy, ivec2(0), 1.5) + textureLodOffset(two, uv.xy, 2.0, ivec2(1));
    c += textureGradOffset(three, uv.xyz, uv.xyz, uv.yzw, ivec3(1, 2, 3));
    colour = c;
}

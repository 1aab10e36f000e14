#version 450
layout(set = 0, binding = 0) uniform sampler1D one;
layout(set = 0, binding = 1) uniform sampler2D two;
layout(set = 0, binding = 2) uniform sampler3D three;
layout(set = 0, binding = 3) uniform sampler2DShadow shadow;
layout(location = 0) in vec4 uv;
layout(location = 0) out vec4 colour;
void main() {
    vec4 c = textureProj(one, uv.xy) + textureProj(one, uv) + textureProj(two, uv.xyz);
    c += textureProj(two, uv) + textureProj(two, uv, 0.5) + textureProj(three, uv);
    c += textureProjLod(two, uv.xyz, 1.0) + textureProjGrad(two, uv.xyz, uv.xy, uv.zw);
    c += textureProjOffset(two, uv.xyz, ivec2(1, 2));
    c += textureProj(shadow, uv) + textureProjLod(shadow, uv, 0.0);
    colour = c;
}

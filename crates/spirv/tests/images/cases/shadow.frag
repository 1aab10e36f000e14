#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(set = 0, binding = 0) uniform sampler2DShadow shadow;
layout(set = 0, binding = 1) uniform samplerCubeShadow sky;
layout(set = 0, binding = 2) uniform texture2D apart;
layout(set = 0, binding = 3) uniform samplerShadow compare;
layout(location = 0) in vec4 uv;
layout(location = 0) out vec4 colour;
void main() {
    float c = texture(shadow, uv.xyz) + textureLod(shadow, uv.xyz, 0.0) + texture(sky, uv);
    c += textureOffset(shadow, uv.xyz, ivec2(1, -1));
    c += texture(sampler2DShadow(apart, compare), uv.xyz);
    colour = c + textureGather(shadow, uv.xy, 0.5) + texelFetch(apart, ivec2(uv.xy), 0);
}

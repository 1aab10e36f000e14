#version 450
layout(set = 0, binding = 0) uniform sampler2DArray layers;
layout(set = 0, binding = 1) uniform samplerCubeArray cubes;
layout(set = 0, binding = 2) uniform sampler2DArrayShadow shadows;
layout(set = 0, binding = 3) uniform samplerCubeArrayShadow sky;
layout(location = 0) in vec4 uv;
layout(location = 0) out vec4 colour;
void main() {
    vec4 c = texture(layers, uv.xyz) + textureLod(layers, uv.xyz, 1.0) + texture(cubes, uv);
    c += textureGrad(layers, uv.xyz, uv.xy, uv.zw) + textureGather(layers, uv.xyz, 1);
    c += texture(shadows, uv) + texture(sky, uv, 0.5);
    c += texelFetch(layers, ivec3(uv.xyz), 2);
    colour = c;
}

#version 450
layout(set = 0, binding = 0) uniform sampler1D one;
layout(set = 0, binding = 1) uniform sampler2DArray two;
layout(set = 0, binding = 2) uniform samplerCubeArray sky;
layout(set = 0, binding = 3) uniform sampler2DMS samples;
layout(set = 0, binding = 4) uniform sampler2DShadow shadow;
layout(set = 0, binding = 5, r32f) uniform image2DArray image;
layout(set = 0, binding = 6, r32f) uniform imageCubeArray cubes;
layout(set = 0, binding = 7) uniform samplerCube cube;
layout(location = 0) flat in int level;
layout(location = 0) out ivec4 size;
void main() {
    size = ivec4(textureSize(one, level), textureSize(two, 0));
    size += ivec4(textureSize(sky, level), textureQueryLevels(sky));
    size += ivec4(textureSize(samples), textureSamples(samples), textureQueryLevels(shadow));
    size += ivec4(textureSize(shadow, 1), textureSize(cube, 0));
    size += ivec4(imageSize(image), 0) + ivec4(imageSize(cubes), 0);
}

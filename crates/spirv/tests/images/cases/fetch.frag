#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(set = 0, binding = 0) uniform texture1D one;
layout(set = 0, binding = 1) uniform utexture2D two;
layout(set = 0, binding = 2) uniform itexture3D three;
layout(set = 0, binding = 3) uniform texture2DMS samples;
layout(set = 0, binding = 4) uniform sampler2D combined;
layout(location = 0) flat in ivec4 at;
layout(location = 0) out vec4 colour;
void main() {
    vec4 c = texelFetch(one, at.x, at.y) + vec4(texelFetch(two, at.xy, 1));
    c += vec4(texelFetch(three, at.xyz, at.w)) + texelFetch(samples, at.xy, at.z);
    c += texelFetchOffset(combined, at.xy, 0, ivec2(3, -7));
    colour = c;
}

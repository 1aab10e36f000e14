#version 450
// The texture is compared and sampled with a bias, the sampler compares and does not: two of each.
layout(set = 0, binding = 0) uniform texture2D tex;
layout(set = 0, binding = 1) uniform sampler apart;
layout(set = 0, binding = 4) uniform sampler2D other;
layout(location = 0) in vec4 uv;
layout(location = 0) out vec4 colour;
float compared(texture2D t, sampler s) { return texture(sampler2DShadow(t, s), uv.xyz); }
void main() {
    colour = texture(sampler2D(tex, apart), uv.xy, 0.5) + compared(tex, apart) + texture(other, uv.xy);
}

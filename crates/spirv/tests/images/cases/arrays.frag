#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 0) uniform sampler2D combined[4];
layout(set = 0, binding = 1) uniform texture2D textures[];
layout(set = 0, binding = 2) uniform sampler samplers[3];
layout(set = 0, binding = 3) uniform Colours { vec4 tint; } uniforms[2];
layout(set = 0, binding = 4) buffer Numbers { uint count; float data[]; } buffers[];
layout(set = 0, binding = 5, rgba8) uniform writeonly image2D images[2];
layout(location = 0) in vec2 uv;
layout(location = 1) flat in int i;
layout(location = 0) out vec4 colour;
void main() {
    vec4 c = texture(combined[1], uv) + texture(combined[i], uv);
    c += texture(sampler2D(textures[nonuniformEXT(i + 1)], samplers[i]), uv);
    c += uniforms[1].tint + uniforms[i].tint;
    c += buffers[i].data[i] + float(buffers[2].data.length());
    atomicAdd(buffers[i].count, 1u);
    imageStore(images[i], ivec2(uv), c);
    colour = c;
}

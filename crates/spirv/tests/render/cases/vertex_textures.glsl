// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(set = 0, binding = 0) uniform Uniforms { vec4 u[16]; };
layout(set = 0, binding = 1) uniform texture2D image;
layout(set = 0, binding = 2) uniform sampler plain;
layout(set = 0, binding = 3) uniform texture2D depths;
layout(set = 0, binding = 4) uniform samplerShadow compares;
layout(set = 0, binding = 5) readonly buffer Numbers { uint table[64]; };
layout(push_constant) uniform Push { vec4 p[4]; };
layout(location = 0) out vec4 colour;
void main() {
    gl_Position = at; gl_Position.xy += u[gl_VertexIndex & 7].xy * 0.1;
    colour = textureLod(sampler2D(image, plain), noise.xy, 0.5) + texelFetch(sampler2D(image, plain), ivec2(gl_VertexIndex, 2), 0);
    colour += p[gl_InstanceIndex] + float(table[gl_VertexIndex] & 15u);
}
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = colour; }
#endif

#version 450
layout(set = 0, binding = 0) uniform sampler2D tex;
layout(set = 0, binding = 2) uniform samplerCube sky;
layout(set = 0, binding = 1) uniform Buffer { vec4 tint; };
layout(location = 0) in vec3 uv;
layout(location = 0) out vec4 colour;
void main() { colour = tint * texture(tex, uv.xy) + texture(sky, uv); }

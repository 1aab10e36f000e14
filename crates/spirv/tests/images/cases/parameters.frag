#version 450
layout(set = 0, binding = 0) uniform sampler2D a;
layout(set = 0, binding = 1) uniform sampler2D b[2];
layout(set = 0, binding = 2) uniform texture2D t;
layout(set = 0, binding = 3) uniform sampler s;
layout(set = 0, binding = 4) uniform sampler2DShadow shadow;
layout(set = 0, binding = 5) uniform texture2D depths;
layout(location = 0) in vec3 uv;
layout(location = 1) flat in int i;
layout(location = 0) out vec4 colour;
vec4 combined(sampler2D p) { return texture(p, uv.xy); }
vec4 deeper(vec2 at, sampler2D p) { return combined(p) * texture(p, at); }
vec4 apart(texture2D p, sampler q) { return texture(sampler2D(p, q), uv.xy); }
vec4 one_of(sampler2D p[2], int k) { return texture(p[k], uv.xy); }
float compared(sampler2DShadow p) { return texture(p, uv); }
void main() {
    vec4 c = deeper(uv.yz, a) + deeper(uv.zx, b[i]) + combined(b[1]);
    c += apart(t, s) + apart(depths, s) + one_of(b, i) + compared(shadow);
    colour = c + texture(sampler2DShadow(depths, s), uv);
}

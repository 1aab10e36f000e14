#version 450
// expect: textureSampleCompare(shadow, shadow_comparison,
struct Surface { vec3 normal; vec2 uv; };
layout(location=0) in Surface surface;
layout(location=2) flat in uint instance;
layout(location=3) centroid in vec4 tint[2];
layout(set=1, binding=0) uniform sampler2D albedo;
layout(set=1, binding=1) uniform sampler2DShadow shadow;
layout(set=1, binding=2) uniform Lights { int count; vec4 direction[4]; } lights;
layout(constant_id=3) const float gamma = 2.2;
layout(location=0) out vec4 colour;
layout(location=1) out uvec2 picked;
float light(vec3 n) {
    float sum = 0.1;
    for (int i = 0; i < lights.count; i++) {
        float d = dot(n, lights.direction[i].xyz);
        if (d <= 0.0) continue;
        sum += d;
        if (sum > 4.0) return 4.0;
    }
    return sum;
}
void main() {
    vec4 base = texture(albedo, surface.uv);
    if (base.a < 0.5) discard;
    float lit = light(normalize(surface.normal)) * texture(shadow, vec3(surface.uv, gl_FragCoord.z));
    colour = vec4(pow(base.rgb * lit, vec3(1.0 / gamma)), base.a) * tint[instance & 1u];
    picked = uvec2(instance, gl_FrontFacing ? 1u : 0u);
    gl_FragDepth = gl_FragCoord.z + 0.001;
}

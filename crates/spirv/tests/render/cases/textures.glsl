// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 uv;
void main() { gl_Position = at; uv = noise; }
#else
layout(set = 0, binding = 0) uniform Uniforms { vec4 u[16]; };
layout(set = 0, binding = 1) uniform texture2D image;
layout(set = 0, binding = 2) uniform sampler plain;
layout(set = 0, binding = 3) uniform texture2D depths;
layout(set = 0, binding = 4) uniform samplerShadow compares;
layout(set = 0, binding = 5) readonly buffer Numbers { uint table[64]; };
layout(push_constant) uniform Push { vec4 p[4]; };
layout(location = 0) in vec4 uv;
layout(location = 0) out vec4 result;
#define S sampler2D(image, plain)
#define D sampler2DShadow(depths, compares)
void main() {
    vec4 all[8];
    all[0] = texture(S, uv.xy);
    all[1] = texture(S, uv.xy * 2.0, -0.5) + textureLod(S, uv.zw, 1.5);
    all[2] = textureGrad(S, uv.xy, uv.zw * 0.1, uv.wz * 0.2);
    all[3] = textureGather(S, uv.xy, 2) + textureGatherOffset(S, uv.xy, ivec2(1, -2), 1);
    all[4] = texelFetch(S, ivec2(abs(uv.xy) * 3.0), 1) + textureOffset(S, uv.xy, ivec2(3, -4));
    all[5] = vec4(texture(D, vec3(uv.xy, 0.4)), textureLod(D, vec3(uv.zw, 0.7), 0.0), textureOffset(D, vec3(uv.xz, 0.3), ivec2(1, 1)), textureGather(D, uv.xy, 0.5).z);
    all[6] = vec4(textureSize(S, 1), textureQueryLevels(S), 0.0);
    all[7] = textureLodOffset(S, uv.xy, 1.0, ivec2(2, 2)) * u[1] + p[2] + float(table[5] & 7u);
    int which = int(gl_FragCoord.x) & 7;
    result = all[which];
}
#endif

// rgba32float rgba32sint
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 3) in ivec4 signs;
layout(location = 0) out vec4 colour;
layout(location = 1) flat out ivec4 whole;
void main() { gl_Position = at; colour = noise; whole = signs; }
#else
layout(location = 0) in vec4 colour;
layout(location = 1) flat in ivec4 whole;
layout(location = 0) out vec4 result;
layout(location = 1) out ivec4 more;
void main() {
    vec2 z = vec2(0.0); int n = 0;
    for (; n < 30; n++) { z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + gl_FragCoord.xy * 0.1 - 1.5; if (dot(z, z) > 4.0) break; }
    more = whole;
    switch (n & 7) { case 0: more.x += 1; case 1: more.y -= 2; break; case 2: case 3: more = more.wzyx; break; case 5: discard; default: more *= 3; }
    result = vec4(float(n)) + floor(colour * 8.0);
}
#endif

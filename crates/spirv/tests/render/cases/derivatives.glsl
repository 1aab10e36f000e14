// rgba32float rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
void main() { gl_Position = at; colour = noise; }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
layout(location = 1) out vec4 more;
float f(vec2 at) { return at.x * at.x * at.y; }
void main() {
    vec2 v = colour.xy * colour.zw;
    result = vec4(dFdx(v), dFdy(v).x, fwidth(f(v)));
    more = vec4(dFdxFine(v.x), dFdyFine(v.y), dFdxCoarse(v.x), dFdyCoarse(f(v)));
    more += vec4(fwidthFine(v), fwidthCoarse(v));
}
#endif

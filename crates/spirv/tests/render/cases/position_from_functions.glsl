// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out Out { vec4 a; vec4 b; } o;
void first() { gl_Position.xy = at.xy; o.a.xy = noise.xy; }
void second(float w) { gl_Position.zw = vec2(at.z, w); o.a.zw = noise.wz; o.b = o.a * 2.0; }
void main() { first(); second(at.w); if (gl_VertexIndex == 4) { o.b = vec4(5.0); return; } o.b += 1.0; }
#else
layout(location = 0) in In { vec4 a; vec4 b; } i;
layout(location = 0) out vec4 result;
vec4 get() { return i.a; }
vec4 part(int n) { return vec4(i.b[n], get()[n], i.a[(n + 1) & 3], 1.0); }
void main() { result = part(int(gl_FragCoord.x) & 3); }
#endif

#version 450
// expect: @location(0) @interpolate(flat) a_1: vec4<u32>
// expect: a = bitcast<vec2<i32>>(vec2<u32>(a_1.x, a_1.y));
// expect: b = a_1.w;
layout(location = 0) flat in ivec2 a;
layout(location = 0, component = 3) flat in uint b;
layout(location = 0) out vec4 o;
void main() { o = vec4(a, b, 1); }

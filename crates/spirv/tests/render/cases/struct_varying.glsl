// rgba32float rgba32uint
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 2) in uvec4 numbers;
layout(location = 4) in mat4 matrix;
struct Inner { vec2 a; float b[2]; };
struct Outer { vec4 x; Inner inner; mat2x3 m; };
layout(location = 0) out Outer outer;
layout(location = 9) flat out uvec3 flats;
void main() {
    gl_Position = at;
    outer.x = noise;
    outer.inner = Inner(noise.zw, float[](noise.x, matrix[0].y));
    outer.m = mat2x3(matrix);
    flats = numbers.xyz;
}
#else
struct Inner { vec2 a; float b[2]; };
struct Outer { vec4 x; Inner inner; mat2x3 m; };
layout(location = 0) in Outer outer;
layout(location = 9) flat in uvec3 flats;
layout(location = 0) out vec4 result;
layout(location = 1) out uvec4 more;
void main() {
    result = outer.x + vec4(outer.inner.a, outer.inner.b[0], outer.inner.b[1]);
    result.xyz += outer.m * vec2(1.0, 0.5);
    more = flats.zyxx;
}
#endif

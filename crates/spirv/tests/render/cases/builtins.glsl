// rgba32float rgba32uint
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) flat out uint number;
layout(location = 1) out vec4 colour;
void main() {
    gl_Position = at + vec4(float(gl_InstanceIndex) * 0.4, 0.0, 0.0, 0.0);
    number = uint(gl_VertexIndex * 16 + gl_InstanceIndex);
    colour = noise * float(gl_VertexIndex % 3);
}
#else
layout(location = 0) flat in uint number;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 result;
layout(location = 1) out uvec4 more;
void main() {
    result = gl_FragCoord + (gl_FrontFacing ? colour : colour.wzyx);
    more = uvec4(number, gl_FrontFacing ? 1u : 2u, uint(gl_FragCoord.x), uint(gl_FragCoord.y));
}
#endif

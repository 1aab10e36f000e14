#version 450
// expect: @location(1) two_1: vec4<f32>
// expect: two_1.y
layout(location = 1, component = 1) in vec2 two;
layout(location = 1, component = 3) in float one;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(two, one, 1.0); }

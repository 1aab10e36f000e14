#version 450
// expect: @location(0) m_1: vec3<f32>
// expect: @location(5)
layout(location = 0) in mat2x3 m[2];
layout(location = 4) in vec2 p[2];
void main() { gl_Position = vec4(m[1][0], p[1].y); }

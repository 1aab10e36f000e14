#version 450
// expect: @location(2) n: vec3<f32>,
// expect: @location(3) a: f32,
layout(location = 2) out struct { vec3 n; float a; } o;
void main() { o.n = vec3(1.0); o.a = 2.0; gl_Position = vec4(0.0); }

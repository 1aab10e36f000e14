#version 450
// expect: @builtin(position) gl_Position: vec4<f32>,
void main() { gl_Position = vec4(1.0); gl_PointSize = 4.0; }

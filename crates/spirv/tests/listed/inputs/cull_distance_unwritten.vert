#version 450
// expect: @builtin(position) gl_Position: vec4<f32>,
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[2]; };
void main() { gl_Position = vec4(1.0); }

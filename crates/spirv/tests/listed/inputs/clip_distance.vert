#version 450
// expect: @builtin(clip_distances) gl_ClipDistance: array<f32, 2>,
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() { gl_Position = vec4(1.0); gl_ClipDistance[0] = 1.0; gl_ClipDistance[1] = 2.0; }

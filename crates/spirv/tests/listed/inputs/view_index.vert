#version 450
#extension GL_EXT_multiview : require
// expect: @builtin(view_index) gl_ViewIndex_1: u32
// expect: gl_ViewIndex = bitcast<i32>(gl_ViewIndex_1);
void main() { gl_Position = vec4(gl_ViewIndex); }

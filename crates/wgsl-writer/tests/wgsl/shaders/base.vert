#version 450
#extension GL_ARB_shader_draw_parameters : require
layout(location=0) out vec2 uv;
void main() { gl_Position=vec4(1); uv=vec2(gl_BaseVertexARB,gl_BaseInstanceARB); }

#version 450
// refuse: unsupported: builtin HelperInvocation
layout(location = 0) out vec4 o;
void main() { o = gl_HelperInvocation ? vec4(1) : vec4(0); }

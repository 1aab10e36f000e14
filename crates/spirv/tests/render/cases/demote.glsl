// rgba32float
#version 450
#extension GL_EXT_demote_to_helper_invocation : require
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 colour;
void main() { gl_Position = at; colour = noise; }
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() {
    float x = colour.x * colour.y;
    if (colour.z > 0.9) demote;
    result = vec4(dFdx(x), dFdy(x), fwidth(x), x);
}
#endif

// none depth
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
void main() { gl_Position = at; }
#else
void main() { if (gl_FragCoord.x > 15.0) discard; }
#endif

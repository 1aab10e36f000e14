// rgba32float samples=4
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 0) out vec4 a;
void main() { gl_Position = at; a = noise; }
#else
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 result;
void main() {
    result = a + float(gl_SampleMaskIn[0]);
    int x = int(gl_FragCoord.x);
    gl_SampleMask[0] = 1 << (x & 3);
    if (x > 12) gl_SampleMask[0] |= gl_SampleMaskIn[0] & 5;
}
#endif

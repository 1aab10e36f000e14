// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
layout(location = 0) out vec4 colour;
void main() {
    gl_Position = at;
    gl_PointSize = 1.0;
    for (int i = 0; i < 2; i++) gl_ClipDistance[i] = dot(noise, at.zwxy) + float(i) + 0.3;
    colour = noise;
}
#else
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main() { result = colour; }
#endif

// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(constant_id = 0) const int count = 3;
layout(constant_id = 1) const float scale = 0.5;
layout(location = 0) out vec4 colours[3];
void main() { gl_Position = at; for (int i = 0; i < count; i++) colours[i] = noise * scale * float(i); }
#else
layout(constant_id = 0) const int count = 3;
layout(constant_id = 7) const bool bright = true;
const int twice = count * 2;
layout(location = 0) in vec4 colours[3];
layout(location = 0) out vec4 result;
void main() { float all = 0.0; for (int i = 0; i < twice; i++) all += float(i); result = colours[count - 1] + all; if (bright) result += colours[1]; }
#endif

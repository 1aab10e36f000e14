#version 450
// SPIR-V does not say that all fragments get there.
// expect: diagnostic(off, derivative_uniformity);
layout(binding = 0) uniform sampler2D s;
layout(location = 0) in vec2 a;
layout(location = 0) out vec4 o;
void main() {
    o = vec4(0);
    if (a.x > 0.5) o = texture(s, a);
}

#version 450
// A builtin that an instruction needs, below a function that takes an image.
// expect: @builtin(position)
// expect: textureLoad(a, vec2<i32>(frag_coord.xy)
layout(input_attachment_index = 0, binding = 0) uniform subpassInput a;
layout(binding = 1) uniform sampler2D s;
layout(location = 0) out vec4 o;
vec4 f(sampler2D t) { return textureLod(t, vec2(0), 0) + subpassLoad(a); }
void main() { o = f(s); }

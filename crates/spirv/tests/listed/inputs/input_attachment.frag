#version 450
// What lies under the fragment is an image like any other.
// expect: @group(0) @binding(3) var a: texture_2d<f32>;
// expect: @group(0) @binding(4) var b: texture_multisampled_2d<u32>;
// expect: @builtin(position)
// expect: textureLoad(a, vec2<i32>(frag_coord.xy)
layout(input_attachment_index = 0, binding = 3) uniform subpassInput a;
layout(input_attachment_index = 1, binding = 4) uniform usubpassInputMS b;
layout(location = 0) out vec4 o;
void main() { o = subpassLoad(a) + vec4(subpassLoad(b, 2)); }

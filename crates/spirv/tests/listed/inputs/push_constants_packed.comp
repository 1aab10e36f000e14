#version 450
#extension GL_EXT_scalar_block_layout : require
// expect: var<immediate> p: P;
// expect: words_6: u32,
layout(scalar, push_constant) uniform P { float a; vec3 b; vec3 c; } p;
layout(binding = 0) buffer B { float d[]; };
void main() { d[0] = p.a + p.b.y + p.c.z; }

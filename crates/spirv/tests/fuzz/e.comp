#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x=4) in;
struct S { vec3 a; float b; i16vec2 c; uint8_t d; };
layout(binding=0, scalar) buffer B { uint8_t head; S s[2]; int16_t tail[]; } b;
layout(binding=1, scalar) uniform U { float f[3]; vec3 v; float g; layout(row_major) mat2x3 m; } u;
void main(){ uint i=gl_GlobalInvocationID.x; S s=b.s[i&1u]; s.a += u.v * u.f[i]; s.c.y += int16_t(7); s.d ^= uint8_t(255); b.s[i&1u]=s; b.tail[i] = int16_t(b.tail.length()) - b.tail[i+1u]; vec3 r = u.m * vec2(1,2); b.s[0].b = r.x; }

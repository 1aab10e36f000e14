#version 450
layout(location=0) in vec4 the_colour;
layout(location=1) flat in ivec2 cell;
layout(location=2, component=1) in vec2 two;
layout(location=2) in float one;
layout(location=0) out vec4 frag_colour;
void bar(){ frag_colour = the_colour * one + two.xyxy; }
void main(){ if (cell.x < 0) discard; bar(); gl_FragDepth = gl_FragCoord.z * 0.5; gl_SampleMask[0] = gl_SampleMaskIn[0] & 3; }

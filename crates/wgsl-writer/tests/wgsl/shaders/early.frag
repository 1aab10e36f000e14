#version 450
layout(location=0) out vec4 col;
layout(early_fragment_tests) in; layout(rgba8,set=0,binding=0) uniform writeonly image2D im; layout(set=0,binding=1) buffer C { uint n2; };
void main() { col=vec4(1); imageStore(im,ivec2(gl_FragCoord.xy),vec4(1)); atomicAdd(n2,1u); }

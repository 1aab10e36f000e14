// Ripples around the middle of a picture, in GLSL.
//
//   cargo run --release -- run examples/ripples.comp --workgroups 32,32 --out 0:0=ripples.png:256x256:heat
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) writeonly buffer Picture { float picture[]; };

void main() {
    uvec2 size = gl_NumWorkGroups.xy * gl_WorkGroupSize.xy;
    uvec2 at = gl_GlobalInvocationID.xy;
    vec2 place = (vec2(at) + 0.5) / vec2(size) * 2.0 - 1.0;
    float wave = cos(24.0 * length(place));
    picture[at.y * size.x + at.x] = mix(-wave, wave, smoothstep(0.0, 0.1, place.x));
}

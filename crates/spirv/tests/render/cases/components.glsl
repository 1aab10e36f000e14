// rgba32float rgba32sint
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 3) in ivec4 signs;
layout(location = 4) in mat4 matrix;
layout(location = 0, component = 0) out vec2 first;
layout(location = 0, component = 2) out float second;
layout(location = 0, component = 3) out float third;
layout(location = 1, component = 1) flat out ivec2 whole;
layout(location = 1, component = 3) flat out int last;
layout(location = 2, component = 1) out vec2 several[2];
layout(location = 2, component = 3) out float others[2];
void main() {
    gl_Position = at;
    first = noise.xy; second = noise.z; third = noise.w;
    whole = signs.xy; last = signs.z;
    several[0] = matrix[0].xy; several[1] = matrix[0].zw;
    others[0] = matrix[1].x; others[1] = matrix[1].y;
}
#else
layout(location = 0, component = 0) in vec2 first;
layout(location = 0, component = 2) in float second;
layout(location = 0, component = 3) in float third;
layout(location = 1, component = 1) flat in ivec2 whole;
layout(location = 1, component = 3) flat in int last;
layout(location = 2, component = 1) in vec2 several[2];
layout(location = 2, component = 3) in float others[2];
layout(location = 0) out vec4 result;
layout(location = 1) out ivec4 more;
void main() {
    result = vec4(first, second, third) + vec4(several[0], others[0], others[1]) + several[1].xyxy;
    more = ivec4(whole, last, last);
}
#endif

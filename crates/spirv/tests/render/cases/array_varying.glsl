// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 4) in mat4 matrix;
layout(location = 0) out vec2 several[3];
layout(location = 3) out mat3 turned[2];
layout(location = 9) out float single;
void main() {
    gl_Position = at;
    for (int i = 0; i < 3; i++) several[i] = noise.xy * float(i + 1) + noise.zw;
    turned[0] = mat3(matrix);
    turned[1] = transpose(mat3(matrix));
    single = noise.w;
}
#else
layout(location = 0) in vec2 several[3];
layout(location = 3) in mat3 turned[2];
layout(location = 9) in float single;
layout(location = 0) out vec4 result;
void main() {
    int which = int(gl_FragCoord.x) % 3;
    result = vec4(several[which], turned[which & 1][which].xy) * single;
    result.zw += (turned[0] * vec3(several[1], 1.0)).yz;
}
#endif

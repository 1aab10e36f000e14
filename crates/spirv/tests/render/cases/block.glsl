// rgba32float
#version 450
#ifdef VERTEX
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 4) in mat4 matrix;
out Block { layout(location = 3) vec4 a; layout(location = 0) flat vec2 b; layout(location = 1) noperspective vec3 c; layout(location = 4) float d[2]; } block;
layout(location = 7) out Other { vec4 e; mat2 f; } other;
void main() {
    gl_Position = at;
    block.a = noise; block.b = matrix[0].xy; block.c = matrix[1].xyz; block.d = float[](noise.x, noise.y);
    other.e = matrix[2]; other.f = mat2(matrix);
}
#else
in Block { layout(location = 3) vec4 a; layout(location = 0) flat vec2 b; layout(location = 1) noperspective vec3 c; layout(location = 4) float d[2]; } block;
layout(location = 7) in Other { vec4 e; mat2 f; } other;
layout(location = 0) out vec4 result;
void main() {
    result = block.a + block.b.xyxy + block.c.xyzx * 2.0 + vec4(block.d[0], block.d[1], 0.0, 1.0) + other.e;
    result.xy += other.f * result.zw;
}
#endif

#version 450
// expect: @location(4) @interpolate(perspective, centroid) tint_1: vec4<f32>,
layout(set=0, binding=0) uniform Camera { mat4 view_projection; vec3 eye; float time; } camera;
layout(push_constant) uniform Model { mat4 transform; } model;
layout(location=0) in vec3 position;
layout(location=1) in vec3 normal;
layout(location=2) in vec2 uv;
layout(location=3) in mat2 bend;
struct Surface { vec3 normal; vec2 uv; };
layout(location=0) out Surface surface;
layout(location=2) flat out uint instance;
layout(location=3) centroid out vec4 tint[2];
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
void main() {
    vec4 world = model.transform * vec4(position, 1.0);
    surface.normal = mat3(model.transform) * normal;
    surface.uv = bend * uv;
    instance = gl_InstanceIndex;
    for (int i = 0; i < 2; i++) tint[i] = vec4(0.5 * float(i), world.xyz);
    gl_Position = camera.view_projection * world;
    gl_PointSize = 1.0;
}

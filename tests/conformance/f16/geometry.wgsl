// dot, cross, reflect, faceForward and length of f16 at points where every step is exact.
//: needs f16
//: in  0:0 f16 1 2 3 _ -3 4 5 _
//: out 0:1 f16 -2 -14 10 0 1 -2 3 0 1 2 3 0
//: out 0:2 f16 within F16_LENGTH_ULP_6_5 20 5 5 3
enable f16;

@group(0) @binding(0) var<storage, read> a: array<vec3<f16>, 2>;
@group(0) @binding(1) var<storage, read_write> vectors: array<vec4<f16>, 3>;
@group(0) @binding(2) var<storage, read_write> scalars: array<f16, 4>;

@compute @workgroup_size(1)
fn main() {
    vectors[0] = vec4(cross(a[0], a[1]), 0h);
    vectors[1] = vec4(reflect(a[0], vec3h(0, 1, 0)), 0h);
    vectors[2] = vec4(faceForward(a[0], a[1], vec3h(1, 0, 0)), 0h);
    scalars[0] = dot(a[0], a[1]);
    scalars[1] = length(vec2(a[1].x, a[1].y));
    scalars[2] = distance(vec2h(0), a[1].xy);
    scalars[3] = length(a[1].x);
}

// dot, cross, length, distance, reflect and normalize of f64, where every step is exact.
//: needs f64
//: in  0:0 f64 1 2 3 _ -3 4 5 _
//: out 0:1 f64 -2 -14 10 _ 1 -2 3 _
//: out 0:2 f64 20 5 5 1
@group(0) @binding(0) var<storage, read> a: array<vec3<f64>, 2>;
@group(0) @binding(1) var<storage, read_write> vectors: array<vec3<f64>, 2>;
@group(0) @binding(2) var<storage, read_write> scalars: array<f64, 4>;

@compute @workgroup_size(1)
fn main() {
    vectors[0] = cross(a[0], a[1]);
    vectors[1] = reflect(a[0], vec3<f64>(0lf, 1lf, 0lf));
    scalars[0] = dot(a[0], a[1]);
    scalars[1] = length(a[1].xy);
    scalars[2] = distance(a[1].xy, vec2<f64>());
    scalars[3] = normalize(vec2(a[1].x + 7lf, 0lf)).x;
}

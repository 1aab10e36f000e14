// Every way in which a product and another value are summed.
fn scalars(a: f32, b: f32, c: f32) -> array<f32, 4> {
    return array(a * b + c, c + a * b, a * b - c, c - a * b);
}
fn vectors(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> array<vec3<f32>, 4> {
    return array(a * b + c, c + a * b, a * b - c, c - a * b);
}
// A scalar is repeated; where something is negated, it is the scalar.
fn scaled(a: vec2<f32>, s: f32, c: vec2<f32>) -> array<vec2<f32>, 4> {
    return array(a * s + c, c + s * a, a * s - c, c - s * a);
}
// The other comes after the product.
fn late(a: f32, b: f32, i: u32) -> f32 {
    var table = array(1.0, 2.0);
    return a * b - table[i];
}
fn literals(a: f32) -> f32 {
    return 1.0 - a * 2.0;
}
fn nested(a: f32, b: f32) -> f32 {
    return ((a * b + 1.0) * b + 2.0) * b + 3.0;
}
fn mixed_with_a_scalar(a: vec2<f32>, s: f32) -> vec2<f32> {
    return a * a + s;
}

// Sums of products by another name.
fn two(a: vec2<f32>, b: vec2<f32>) -> f32 { return dot(a, b); }
fn three(a: vec3<f32>) -> f32 { return dot(a, a) + 0.01; }
fn four(a: vec4<f32>, b: vec4<f32>) -> f32 { return 1.0 - 2.0 * dot(a, b); }
fn of_what_is_computed(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    let direction = a * 2.0 - b;
    if dot(direction, b) > 0.0 { return b; }
    return direction * dot(a, direction) + b;
}

// One of two products is taken: the first.
fn difference(a: f32, b: f32, c: f32, d: f32) -> f32 {
    return a * b - c * d;
}
fn sum_of_three(a: f32, b: f32, c: f32) -> f32 {
    return a * a + b * b + c * c;
}
// The squares are in two sums each.
fn mandelbrot(c: vec2<f32>, z: vec2<f32>) -> vec3<f32> {
    let x2 = z.x * z.x;
    let y2 = z.y * z.y;
    return vec3(x2 - y2 + c.x, 2.0 * z.x * z.y + c.y, x2 + y2);
}
// The first has another use, so the second is taken.
fn first_is_needed(a: f32, b: f32) -> vec2<f32> {
    let p = a * a;
    return vec2(p + b * b, p);
}

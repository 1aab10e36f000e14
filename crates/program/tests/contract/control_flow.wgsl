// Products that have names, and sums elsewhere.
@group(0) @binding(0) var<storage, read_write> data: array<f32>;

fn used_in_a_loop(a: f32, b: f32) -> f32 {
    let product = a * b;
    var sum = 0.0;
    loop {
        sum = product + sum;
        continuing {
            break if product - sum > 8.0;
        }
    }
    return sum;
}
fn used_on_both_sides(a: f32, b: f32, c: bool) -> f32 {
    let product = a * b;
    if c {
        return product + 1.0;
    }
    return 2.0 - product;
}
fn callee(a: f32) -> f32 { return a * a + 1.0; }

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let called = callee(data[id.x]);
    data[id.x] = data[id.x] * called + data[id.x + 1];
    workgroupBarrier();
    switch id.x {
        case 0: { data[0] = called * called + called; }
        default: { data[1] -= called * 0.5; }
    }
}

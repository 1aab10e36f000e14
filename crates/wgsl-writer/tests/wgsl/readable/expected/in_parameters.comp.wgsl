struct B {
    d: array<f32>,
}

struct Ray {
    from_: vec3<f32>,
    to: vec3<f32>,
}

@group(0) @binding(0) var<storage, read_write> b: B;

fn changed(t: ptr<function, f32>) -> f32 {
    *t += 1.0;
    return *t * *t;
}

fn along(ray: Ray, t: f32) -> f32 {
    return ray.from_.x + t * (ray.to.x - ray.from_.x) + ray.to.y;
}

fn both(a: f32, c: ptr<function, f32>, e: ptr<function, f32>) {
    *c = a;
    *e += a;
}

fn main_inner() {
    var ray: Ray;
    ray.from_ = vec3<f32>(b.d[0], b.d[1], 0.0);
    ray.to = vec3<f32>(b.d[2], 1.0, 2.0);
    let e1 = b.d[3];
    var e = 2.0;
    var param = e;
    var param_1: f32;
    both(e1, &param_1, &param);
    var c = param_1;
    e = param;
    let e2 = along(ray, b.d[3]);
    var param_2 = c;
    b.d[4] = e2 + changed(&param_2) + e;
}

@compute @workgroup_size(1)
fn main() {
    main_inner();
}

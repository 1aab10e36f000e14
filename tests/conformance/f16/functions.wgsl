// f16 as arguments, results and behind pointers.
//: needs f16
//: out 0:0 f16 4.5 3.5 7 2.75
enable f16;

@group(0) @binding(0) var<storage, read_write> out: array<f16>;

fn half(x: f16) -> f16 {
    return x * 0.5h;
}

fn raise(v: ptr<function, vec3<f16>>, by: f16) -> vec3<f16> {
    (*v).y += by;
    return *v + by;
}

@compute @workgroup_size(1)
fn main() {
    var v = vec3h(1, 2, 3);
    let raised = raise(&v, half(5h));
    out[0] = v.y;
    out[1] = raised.x;
    out[2] = raised.y;
    out[3] = half(raised.z);
}

// f64 in private, function and workgroup variables, behind pointers and in calls.
//: needs f64
//: out 0:0 f64 7 8 3 1.75 7 7 1.75 1
struct Pair {
    x: f64,
    n: u32,
    y: vec2<f64>,
}

var<private> p: array<f64, 3> = array(1lf, 2lf, 3lf);
var<workgroup> w: array<Pair, 2>;
@group(0) @binding(0) var<storage, read_write> out: array<f64>;

fn raise(v: ptr<function, vec3<f64>>, by: f64) -> f64 {
    (*v).y += by;
    return (*v)[1] * 2lf;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    var v = vec3(p[i], 0.5lf, p[i + 1u]);
    let raised = raise(&v, p[2]);
    w[i] = Pair(raised, i + 7u, v.zx);
    w[i].y[i] -= 0.25lf;
    workgroupBarrier();
    let other = w[1u - i];
    out[4u * i] = other.x;
    out[4u * i + 1u] = f64(other.n);
    out[4u * i + 2u] = other.y.x;
    out[4u * i + 3u] = other.y.y;
}

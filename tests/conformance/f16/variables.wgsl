// f16 in private, function and workgroup variables, arrays and structs, zero at first.
//: needs f16
//: out 0:0 f16 4 0 0.5 0 9 1 3.5 4
enable f16;

struct Pair {
    x: f16,
    y: vec2<f16>,
}

var<private> p: array<f16, 4> = array(1h, 2h, 3h, 4h);
var<workgroup> w: array<Pair, 2>;
@group(0) @binding(0) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    var f: array<vec2<f16>, 3>;
    f[i + 1u] = vec2(p[i], p[i + 2u]);
    p[3u - i] = 9h;
    w[i] = Pair(p[3], f[1]);
    w[i].y[1] += 0.5h;
    workgroupBarrier();
    let other = w[1u - i];
    out[4u * i] = other.x;
    out[4u * i + 1u] = other.y.x;
    out[4u * i + 2u] = other.y.y;
    out[4u * i + 3u] = f[2].y + f[0].x;
}

// u64 in private, function and workgroup variables, behind pointers and in calls.
//: needs int64
//: out 0:0 u64 13 1 0x400000006 6
struct Pair {
    n: u32,
    x: u64,
}

var<private> p: array<u64, 3> = array(1lu, 0x200000000lu, 3lu);
var<workgroup> w: array<Pair, 2>;
@group(0) @binding(0) var<storage, read_write> out: array<u64>;

fn raise(v: ptr<function, vec2<u64>>, by: u64) -> u64 {
    (*v).y += by;
    return (*v)[1] << 1u;
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    var v = vec2(p[i], p[i + 1u]);
    let raised = raise(&v, p[2]);
    w[i] = Pair(i, raised);
    workgroupBarrier();
    out[2u * i] = w[1u - i].x + u64(w[1u - i].n);
    out[2u * i + 1u] = v[i];
}

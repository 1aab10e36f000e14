// A function variable without an initialiser is zero, in every type and on every call.
//: in  0:0 u32 7 8
//: out 0:1 u32 0 0   0 0
@group(0) @binding(0) var<storage, read> a: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<u32>, 2>;

struct Pair {
    x: u32,
    flag: bool,
}

fn fresh(seed: u32) -> vec2<u32> {
    var pair: Pair;
    var list: array<vec2<u32>, 3>;
    let before = vec2(pair.x + u32(pair.flag), list[1].y);
    pair.x = seed;
    pair.flag = true;
    list[1].y = seed;
    return before;
}

@compute @workgroup_size(1)
fn main() {
    out[0] = fresh(a[0]);
    out[1] = fresh(a[1]);
}
